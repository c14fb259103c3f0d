// Stages of the tiled family: the text of each step between load and store.
#include "tiled_stages.hpp"

#include <fmt/format.h>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "row_chain.hpp"
#include "text.hpp"
#include "tiled_columns.hpp"
#include "tiled_copies.hpp"
#include "tiled_rows.hpp"
#include "tiled_shape.hpp"
#include "tiled_warp_rows.hpp"
#include "tiled_windows.hpp"

namespace ffc {

std::string read_halves(std::string_view load) {
  return fmt::format("make_halves({0}(halves), {0}(halves + 32), {0}(halves + 64))", load);
}

std::string tiled_stages(const ConvConfig& config, const InBlockPlan& plan) {
  // A cluster's rows are there when its barrier says so, and each warp says when it is through.
  const bool waits = plan.geometry.ring == 0;
  TextWriter out(plan.real_filter() || !waits ? 2 : 4);
  const std::string_view barrier = own_barrier(config, plan);
  if (keeps_spectrum(plan)) {
    out.open("if (channel != held_channel) {");
    out.line("held_channel = channel;");
    out.unroll().line("for (int i = 0; i < rows_per_warp; ++i)");
    out.line(fmt::format("  spectrums[i] = {};",
                         row_factor(plan, "spectrum", Placement::global, row_of_warp(plan, "i"), "")));
    out.close();
  }
  // Before the rows that come next: copies arrive in order.
  if (stages_spectrum(plan))
    for (int tile = 0; tile < staged_tiles; ++tile) out.line(fmt::format("stage_spectrum(spectrum_tiles, {});", tile));
  if (plan.geometry.buffers > 1 && waits) {
    if (plan.real_filter()) {
      out.line("if (pair + groups < end_pair) load_pair(pair + groups, (buffer + 1) % buffers);");
      out.line("else commit_copies();");
    } else {
      out.line(asks_early(plan) ? "const unsigned int count = count_behind();"
                                : load_behind(plan, "(buffer + 1) % buffers"));
    }
  }
  if (waits) out.line(fmt::format("wait_copies<{}>();", copies_behind_row(plan)));
  emit_cut_at_reach(out, config, plan);
  emit_find_largest(out, config, plan);
  if (waits) out.line(barrier);
  if (config.scaling == Scaling::found && !plan.geometry.gate_at_load)
    out.line(fmt::format("const FoundScales found = {};", found_scales(plan)));
  if (has_columns(plan)) {
    emit_columns_stage(out, config, plan, false);
    out.line("group_barrier<group_threads>(group);");
    if (counts_behind(plan)) out.line("count_done();");
    if (asks_early(plan) && plan.geometry.buffers > 1) out.line(load_behind(plan, "(buffer + 1) % buffers"));
    if (copies_out_gate(config, plan)) out.line("copy_out_gate(pair);  // the in gate has been used");
    if (plan.geometry.staged_rows > 0) {
      out.line("// The stage has been read: the next pair's rows come in while this one computes.");
      out.line("if (pair + groups < end_pair) stage_pair(pair + groups);");
    }
    emit_rows(out, plan, Turn::together);
    out.line("group_barrier<group_threads>(group);");
    if (asks_early(plan) && plan.geometry.buffers == 1) out.line("const unsigned int count = count_behind();");
    emit_columns_stage(out, config, plan, true);
  } else {
    emit_warp_rows(out, config, plan, Turn::together);
  }
  if (waits) out.line(copies_whole_rows(plan) ? barrier : "warp_barrier();");
  return out.take();
}

}  // namespace ffc
