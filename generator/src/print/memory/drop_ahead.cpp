// What came ahead of delayed rows, on their line.
#include "drop_ahead.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "row_access.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"

namespace ffc {

void emit_drop_ahead(TextWriter& out, const InBlockPlan& plan, const RowAccess& access,
                     const std::vector<ArrivedPlanes>& arrived) {
  if (plan.most_delay == 0 || plan.geometry.gate_at_load) return;
  out.open(fmt::format("if ({}) {{  // what lies between the line and the row", copies_first_chunk(plan)));
  for (const ArrivedPlanes& planes : arrived) {
    open_planes(out, access, planes.first, planes.end);
    if (!access.declared.empty()) out.line(access.declared);
    emit_delay(out, access);
    for (const std::string& place : planes.places) out.line(fmt::format("drop_ahead({}, delay);", place));
    close_planes(out, access);
  }
  out.close();
}

}  // namespace ffc
