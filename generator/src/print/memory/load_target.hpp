// Where the rows of a pair go in shared memory, and how a thread comes to their chunks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_access.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"

namespace ffc {

/// Where the loads of a pair put the planes `first` to `end`.
struct LoadTarget {
  std::string_view name, parameters, base, plane;
  int first, end;
  bool stage;
};

/// What brings a pair's rows in: ahead, to a stage, and to the pair's buffer.
[[nodiscard]] std::vector<LoadTarget> load_targets(const ConvConfig& config, const InBlockPlan& plan);

/// The slot of a row of samples there.
[[nodiscard]] SlotOfRow slot_in(const InBlockPlan& plan, const LoadTarget& target);

/// Where a chunk goes, in rows that begin at `to`.
[[nodiscard]] std::string place_of(const InBlockPlan& plan, const LoadTarget& target, const RowAccess& access);

/// Opens the planes `first` to `end` of a pair's rows and declares where they and their gates are.
void open_rows(TextWriter& out, const RowAccess& access, int first = 0, int end = 2);

/// Says where a chunk is, and how much of it exists.
void emit_live(TextWriter& out, const RowAccess& access);

/// A chunk that is read into registers, from the history where there is one, as an expression.
[[nodiscard]] std::string read_chunk_of(const RowAccess& access, std::string_view name);

}  // namespace ffc
