// What came ahead of delayed rows, on their line.
#include "drop_ahead.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {

bool drops_from_tiles(const ConvConfig& config, const InBlockPlan& plan) {
  const bool holds_pair = !has_columns(plan) && plan.real_filter() && !plan.windows && !plan.is_backward();
  return plan.most_delay > 0 && holds_pair && config.scaling != Scaling::found && !reports(config);
}

void emit_drop_from_tiles(TextWriter& out, const RowAccess& access) {
  if (!access.planes) {
    out.open("{  // what lies between the line and the row");
    emit_delay(out, access);
    out.line("drop_from_tile(samples[0].re[0], delay, lane);").close();
    return;
  }
  open_planes(out, access);
  if (!access.declared.empty()) out.line(access.declared);
  emit_delay(out, access);
  out.line(
      "drop_from_tile(part == 0 ? x[0].re[0] : x[0].im[0], delay, lane);  // what lies between the line and the row");
  close_planes(out, access);
}

namespace {

// In a row's first chunk, which this thread has copied.
void emit_drop_in_row(TextWriter& out, const RowAccess& access, const ArrivedPlanes& planes) {
  if (!access.declared.empty()) out.line(access.declared);
  emit_delay(out, access);
  for (const std::string& place : planes.places) out.line(fmt::format("drop_ahead({}, delay);", place));
}

// In the chunk of a window where its row begins, by the thread that has copied that.
void emit_drop_in_window(TextWriter& out, const InBlockPlan& plan, const RowAccess& access,
                         const ArrivedPlanes& planes) {
  if (access.window.empty()) {
    out.line(access.declared);
    emit_delay(out, access);
  }
  out.line(fmt::format("const int first = {};", access.first));
  out.line("const int row = first / row_samples, chunk = first % row_samples / 8;");
  const std::string mine = fmt::format("{} && {}", access.begins, copies_chunk(plan));
  out.open(fmt::format("if ({}) {{", mine));
  for (const std::string& place : planes.places) out.line(fmt::format("drop_ahead({}, first % 8);", place));
  out.close();
}

}  // namespace

void emit_drop_ahead(TextWriter& out, const InBlockPlan& plan, const RowAccess& access,
                     const std::vector<ArrivedPlanes>& arrived) {
  if (plan.most_delay == 0 || plan.geometry.gate_at_load) return;
  const std::string_view comment = "  // what lies between the line and the row";
  const bool windows = plan.windows.has_value();
  out.open(windows ? fmt::format("{{{}", comment) : fmt::format("if ({}) {{{}", copies_first_chunk(plan), comment));
  emit_window(out, access);
  for (const ArrivedPlanes& planes : arrived) {
    open_planes(out, access, planes.first, planes.end);
    windows ? emit_drop_in_window(out, plan, access, planes) : emit_drop_in_row(out, access, planes);
    close_planes(out, access);
  }
  out.close();
}

}  // namespace ffc
