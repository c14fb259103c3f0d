// What came ahead of delayed rows, on their line.
#pragma once

#include <string>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "row_access.hpp"
#include "text.hpp"

namespace ffc {

/// Planes of rows that have come to shared memory as they are, and where the first chunk of plane `part` is: an
/// expression for each of their copies.
struct ArrivedPlanes {
  int first = 0, end = 2;
  std::vector<std::string> places;
};

/// Lines by which the thread that copied the first chunks of delayed rows empties what is ahead of the rows in them.
void emit_drop_ahead(TextWriter& out, const InBlockPlan& plan, const RowAccess& access,
                     const std::vector<ArrivedPlanes>& arrived);

}  // namespace ffc
