// Rows that pass through registers on their way to shared memory, all of a thread's chunks at once.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "register_copies.hpp"
#include "row_access.hpp"
#include "text.hpp"

namespace ffc {

/// The rows of one tensor and their gate, in arrays with an element for each chunk that a thread copies: "u_chunks".
/// All are read before the first is used, and where the kernel finds how large rows are, read once.
class RegisterRows {
 public:
  /// `to` is where a chunk goes, `field` that of a report (emit_read_chunk).
  RegisterRows(const ConvConfig& config, const InBlockPlan& plan, RowAccess access, std::string field, std::string to)
      : config_(config), plan_(plan), access_(std::move(access)), field_(std::move(field)), to_(std::move(to)) {}

  void declare(TextWriter& out) const;
  /// Reads them, inside the loop over planes.
  void read(TextWriter& out, const ChunkReads& reads) const;
  /// Adds what rows hold to `largest`, where the kernel finds that. Of lines, drops what is not the rows' first.
  void measure(TextWriter& out, const ChunkReads& reads) const;
  /// Stores them, gated and scaled as their source says.
  void store(TextWriter& out) const;

 private:
  [[nodiscard]] std::string chunk(std::string_view name) const;
  [[nodiscard]] std::string gate() const;
  [[nodiscard]] bool measures_ends() const;
  [[nodiscard]] std::string end_of(std::string_view name) const;

  const ConvConfig& config_;
  const InBlockPlan& plan_;
  RowAccess access_;
  std::string field_, to_;
};

/// The chunks of `rows` rows in batches of at most so many; `sample` declares where they are.
[[nodiscard]] ChunkBatches chunk_batches(TextWriter& out, const InBlockPlan& plan, int rows, int most,
                                         std::string_view sample);

}  // namespace ffc
