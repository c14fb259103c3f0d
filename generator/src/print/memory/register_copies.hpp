// Copies through registers, of whole rows and of columns, in batches of chunks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "row_access.hpp"
#include "row_source.hpp"
#include "text.hpp"

namespace ffc {

/// How a thread goes over its chunks in batches.
struct BatchLoops {
  int at_once = 1;          ///< chunks of a batch
  std::string batches;      ///< head of the loop over batches, which counts `first`; empty where one holds all
  std::string_view begin;   ///< index `i` of a batch's first chunk: "0", or "first" where `i` counts on
  std::string_view sample;  ///< line that declares `sample`, where the chunk is in its row of a tensor
  std::function<void(TextWriter&)> place;  ///< emits what declares where chunk `i` is; may end a loop early
  bool ends_early = false;                 ///< it does, behind a thread's last chunk
};

/// "values[4]": an array of chunks in registers, for a declaration. Where a loop over them ends early it is zero at
/// first: what is written on some ways alone the compiler keeps through all loops around it.
[[nodiscard]] std::string chunk_array(std::string_view name, int chunks, bool ends_early);

/// Loops over the chunks of some rows, a batch at a time: all that a batch reads is on its way before the first of it
/// is used, since nothing that follows a store may be read before it.
class ChunkBatches {
 public:
  ChunkBatches(TextWriter& out, BatchLoops loops) : out_(out), loops_(std::move(loops)) {}

  /// The loop over batches.
  void open();
  void close();
  /// Opens the loop over the chunks of a batch; `with_sample` declares `sample` too.
  void open_chunks(bool with_sample);
  /// An array with an element for each chunk of a batch, for a declaration.
  [[nodiscard]] std::string array(std::string_view name) const {
    return chunk_array(name, loops_.at_once, loops_.ends_early);
  }
  /// The element of chunk `i` in such an array.
  [[nodiscard]] std::string of_chunk(std::string_view name) const;

 private:
  TextWriter& out_;
  BatchLoops loops_;
};

/// The array that the chunks of rows named `factor` are read into.
[[nodiscard]] std::string factors_name(std::string_view factor);

/// Reads a batch of each of the rows that results are multiplied by; nothing for none.
void emit_factors(TextWriter& out, ChunkBatches& batches, const std::vector<std::string_view>& factors,
                  const ChunkAccess& chunks);

/// How chunks come to registers.
struct ChunkReads {
  std::string_view sample;                ///< line that declares `sample`, where a chunk is in its row
  std::function<void(TextWriter&)> live;  ///< emits what declares how much of it exists: `live`
  /// That of the rows of that name, as an expression.
  std::function<std::string(std::string_view)> read;
  bool lines = false;  ///< of delayed rows: as they are in memory; what is not the row's is dropped when all are there
};

/// Chunks of a row to shared memory at `to`, gated and scaled on the way. `field` as of emit_read_chunk.
void emit_load_converted(TextWriter& out, ChunkBatches& batches, const ConvConfig& config, const RowAccess& access,
                         std::string_view field, const ChunkReads& reads, std::string_view to);

/// Of rows in lines, some of which `is_kept` says are read again soon. It does not outlive `chunks`.
[[nodiscard]] ChunkReads line_reads(const ChunkAccess& chunks, std::string_view sample,
                                    std::function<bool(std::string_view)> is_kept);

/// The statement that adds the samples of a chunk to `largest`, times those of `gate` unless that is empty.
[[nodiscard]] std::string add_largest(const RowAccess& access, std::string_view value, std::string_view gate);

/// The same of what `of` makes of the names of the rows and of their gate, if they have one.
template <class Of>
[[nodiscard]] std::string add_largest_of(const RowAccess& access, const Of& of) {
  const std::string_view gate = access.source.gate;
  return add_largest(access, of(access.source.rows), gate.empty() ? std::string() : of(gate));
}

/// Chunks of a row that are read for their magnitudes alone, which are added to `largest`.
void emit_measured(TextWriter& out, ChunkBatches& batches, const RowAccess& access, const ChunkReads& reads);

}  // namespace ffc
