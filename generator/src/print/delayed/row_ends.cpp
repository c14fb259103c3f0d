// Text of the ends of rows.
#include "row_ends.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ffc/generator/plan.hpp"
#include "row_access.hpp"
#include "text.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Whether this warp has the chunk of `sample`; empty: every warp's are its own.
std::string_view is_own_chunk(const InBlockPlan& plan) {
  if (plan.geometry.warps_per_group == 1) return {};
  return copies_whole_rows(plan) ? " && row % group_warps == warp" : " && chunk / columns_per_warp == warp";
}

// What of the chunk that question wants.
void emit_own_chunk(TextWriter& out, const InBlockPlan& plan) {
  if (plan.geometry.warps_per_group == 1) return;
  out.line(copies_whole_rows(plan) ? "const int row = sample / row_samples;"
                                   : "const int chunk = sample % row_samples / 8;");
}

void emit_place(TextWriter& out, const InBlockPlan& plan, const RowAccess& rows) {
  out.line("const int row = sample / row_samples, chunk = sample % row_samples / 8;");
  out.line(fmt::format("const int place = {}chunk_offset({}, chunk) + 2 * (sample % 8);", plane_at(rows, "plane_bytes"),
                       slot_of_samples(plan, "row")));
}

}  // namespace

RowAccess from_line(RowAccess access) {
  if (access.moved.empty()) access.start = " - delay";
  access.ends = {};
  return access;
}

void emit_stored_sample(TextWriter& out, std::string_view name, std::string_view value) {
  out.line(fmt::format("store_streamed({} + sample, static_cast<unsigned short>({}));", name, value));
}

void emit_at_ends(TextWriter& out, const InBlockPlan& plan, const RowAccess& access, EndUse use,
                  std::string_view comment, const std::function<void(const RowAccess& rows)>& with) {
  const RowAccess rows = from_line(access);
  out.open(fmt::format("{{  // {}", comment));
  if (rows.planes) out.line("const int part = lane / 16;");
  emit_plane(out, rows);
  // What lies behind the last point is none of this.
  out.line(fmt::format("const int {}end = {};", plan.windows ? "begin = max(window.begin, 0), " : "",
                       plan.windows            ? "window.end"
                       : plan.most_wrapped > 0 ? "min(length + delay, points)"
                                               : "length + delay"));
  out.line("const int sample = sample_of_end(lane, end);");
  use == EndUse::memory ? emit_own_chunk(out, plan) : emit_place(out, plan, rows);
  out.line(fmt::format("const bool at_end = {} && is_of_end(lane, {}, end){};",
                       plan.windows  ? "end > 0"
                       : rows.planes ? "exists"
                                     : "lane < 16",
                       plan.windows ? "begin" : "delay", is_own_chunk(plan)));
  with(rows);
  out.close();
}

void emit_row_ends(TextWriter& out, const InBlockPlan& plan, const RowAccess& access,
                   const std::function<void(const RowAccess& rows)>& store) {
  out.line("warp_barrier();");
  emit_at_ends(out, plan, access, EndUse::shared_too,
               access.planes ? "the ends of both rows, a sample a lane" : "the row's ends, a sample a lane", store);
  out.line("warp_barrier();");
}

}  // namespace ffc
