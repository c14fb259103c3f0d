// Text of windows: constants, templates, and what lies beyond the filter's reach.
#include "tiled_windows.hpp"

#include <fmt/format.h>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/windows.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {

std::string window_constants(const ConvConfig& config, const InBlockPlan& plan) {
  const Windows& windows = *plan.windows;
  return constant_line("long long length", config.length, "samples of a row") +
         constant_line("int windows", windows.count, "of a row") +
         constant_line("int step", windows.step, "new samples of a window; those before them are its halo") +
         constant_line("int reach", windows.reach, "samples that the filter looks back") +
         (windows.gap == 0 ? "" : constant_line("int gap", windows.gap, "samples between the new ones and dy's ahead"));
}

void leave_out_windows(Substitutes& substitutes, const InBlockPlan& plan) {
  if (!plan.windows) substitutes["windows.cuh"] = "";
  if (plan.windows && plan.right_angle()) substitutes["windows.cuh"] = "lone_windows.cuh";
  const bool delayed = plan.windows && plan.most_delay > 0;
  if (!copies_whole_windows(plan)) substitutes["whole_windows.cuh"] = "";
  if (!delayed) substitutes["delayed_windows.cuh"] = "";
  // What a chunk of gradients holds beyond the reach meets taps that are zero.
  if (!plan.windows || plan.is_backward() || plan.windows->reach == plan.windows->read_back())
    substitutes["window_reach.cuh"] = "";
  if (!has_history(plan)) substitutes["window_history.cuh"] = substitutes["stream_arguments.cuh"] = "";
}

void emit_cut_at_reach(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  if (!plan.windows || plan.windows->reach == plan.windows->read_back()) return;
  const bool alone = plan.right_angle();
  const std::int64_t halo_end = alone ? plan.windows->halo() : plan.transform_length;
  const auto sample = static_cast<int>(halo_end - plan.windows->read_back());
  const int row = sample / 256, chunk = sample % 256 / 8;
  std::string owner;
  if (copies_whole_rows(plan)) {
    owner = fmt::format("thread == {}", (32 * row + chunk) % plan.geometry.group_threads());
  } else {
    const int chunks = 32 / plan.geometry.warps_per_group;
    const int lane = row % (32 / chunks) * chunks + chunk % chunks;
    owner = fmt::format("thread == {}", 32 * (chunk / chunks) + lane);
  }
  out.line("// The thread that copied the chunk where the filter's reach ends keeps what is within.");
  out.open(fmt::format("if ({}) {{", owner));
  if (!alone) out.unroll().open("for (int part = 0; part < 2; ++part) {");
  out.line(fmt::format("const SharedAddress at = rows_at + {}plane_bytes + chunk_offset({}, {});",
                       alone ? "" : "part * ", slot_of_samples(plan, std::to_string(row)), chunk));
  out.line("cut_at_reach(at);");
  if (has_in_gate(config.gating) && gates_in_shared(config, plan)) out.line("cut_at_reach(at + gate_offset);");
  if (!alone) out.close();
  out.close();
}

}  // namespace ffc
