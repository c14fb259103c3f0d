// What came ahead of delayed rows, on their line.
#pragma once

#include <string>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_access.hpp"
#include "text.hpp"

namespace ffc {

/// Planes of rows that have come to shared memory as they are, and where the first chunk of plane `part` is, or of
/// windows that at `row` and `chunk`: an expression for each of their copies.
struct ArrivedPlanes {
  int first = 0, end = 2;
  std::vector<std::string> places;
};

/// Whether what is ahead of delayed rows is emptied in registers, by lanes that hold the first tile of a pair: where
/// nobody looks at samples before they are converted.
[[nodiscard]] bool drops_from_tiles(const ConvConfig& config, const InBlockPlan& plan);

/// Lines that do, behind those that fetch and convert the tiles `x` of a pair.
void emit_drop_from_tiles(TextWriter& out, const RowAccess& access);

/// Lines by which the thread that copied the first chunks of delayed rows empties what is ahead of the rows in them, or
/// in whichever chunk of a window they are.
void emit_drop_ahead(TextWriter& out, const InBlockPlan& plan, const RowAccess& access,
                     const std::vector<ArrivedPlanes>& arrived);

}  // namespace ffc
