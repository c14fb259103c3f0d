// What happens to rows of a backward kernel in shared memory before its stages, and behind them: gradients out.
#include "backward_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "backward_loads.hpp"
#include "drop_ahead.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "lower_chains.hpp"
#include "measure_rows.hpp"
#include "plan_steps.hpp"
#include "register_copies.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "row_chain.hpp"
#include "row_ends.hpp"
#include "row_source.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"
#include "tiled_copies.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Whether results of the last new samples are completed by what is in the gap.
bool adds_gap(const InBlockPlan& plan, Tensor tensor) {
  return tensor == Tensor::gradient && plan.windows && plan.windows->gap > 0;
}

// The rows that results are multiplied by.
std::vector<std::string_view> factors_of(const std::vector<Results>& all) {
  std::vector<std::string_view> factors;
  for (const Results& results : all)
    for (const Gradient& gradient : results.gradients)
      if (!gradient.factor.empty()) factors.push_back(gradient.factor);
  return factors;
}

void emit_results(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const ChunkBatches& batches,
                  const Results& results, const ChunkAccess& chunks) {
  out.open("{");
  const std::string_view offset = rows_offset(plan, results.tensor);
  if (adds_gap(plan, results.tensor)) {
    out.line(fmt::format("uint4 result = load_shared(at{});", offset));
    out.line("if (sample >= step - gap && sample < step)");
    out.line(fmt::format("  add(result, load_shared(place_of(sample + gap){}));", offset));
  } else {
    out.line(fmt::format("const uint4 result = load_shared(at{});", offset));
  }
  for (const Gradient& gradient : results.gradients) {
    out.open("{");
    out.line("uint4 value = result;");
    if (!gradient.factor.empty())
      out.line(fmt::format("const uint4 factor = {};", batches.of_chunk(factors_name(gradient.factor))));
    emit_stored_chunk(out, gradient.factor.empty() ? "" : "factor", results.scale);
    emit_meet_results(out, config, results_field(plan), existing(chunks, "value"), chunks.live);
    out.line(stores_ends_apart(plan) ? write_if_whole(chunks, gradient.name) : write_chunk(chunks, gradient.name));
    out.close();
  }
  out.close();
}

// Where what completes a sample is, in the gap.
void emit_place_in_gap(TextWriter& out, const InBlockPlan& plan, const RowAccess& rows) {
  out.line("const int row = (sample + gap) / row_samples, chunk = (sample + gap) % row_samples / 8;");
  out.line(fmt::format("const int place_in_gap = {}chunk_offset({}, chunk) + 2 * (sample % 8);",
                       plane_at(rows, "plane_bytes"), slot_of_samples(plan, "row")));
}

std::string end_factor(std::string_view factor) { return fmt::format("{}_at_end", factor); }

// What results at ends are multiplied by is on its way ahead of the chunks: behind them nothing else hides the wait.
void emit_end_factors(TextWriter& out, const InBlockPlan& plan, const RowAccess& access,
                      const std::vector<std::string_view>& factors) {
  if (!stores_ends_apart(plan) || factors.empty()) return;
  for (const std::string_view factor : factors) out.line(fmt::format("unsigned short {} = 0;", end_factor(factor)));
  emit_at_ends(out, plan, access, EndUse::memory, "what results at the ends are multiplied by",
               [&](const RowAccess& rows) {
                 for (const std::string_view factor : factors) emit_row_pointer(out, rows, factor, "const ");
                 out.open("if (at_end) {");
                 for (const std::string_view factor : factors)
                   out.line(fmt::format("{} = load_global({} + sample);", end_factor(factor), factor));
                 out.close();
               });
}

// A sample of results from shared memory.
void emit_end_results(TextWriter& out, const InBlockPlan& plan, const Results& results) {
  const std::string_view offset = rows_offset(plan, results.tensor);
  if (adds_gap(plan, results.tensor)) {
    out.line(fmt::format("Packed result = load_shared2(rows_at + place{});", offset));
    out.line(
        fmt::format("if (sample >= step - gap) result = add(result, load_shared2(rows_at + place_in_gap{}));", offset));
  } else {
    out.line(fmt::format("const Packed result = load_shared2(rows_at + place{});", offset));
  }
  for (const Gradient& gradient : results.gradients) {
    const std::string factor = gradient.factor.empty() ? std::string() : end_factor(gradient.factor);
    emit_stored_sample(out, gradient.name, stored_sample("result", results.scale, factor));
  }
}

void emit_ends(TextWriter& out, const InBlockPlan& plan, const RowAccess& access, const std::vector<Results>& all) {
  if (!stores_ends_apart(plan)) return;
  emit_row_ends(out, plan, access, [&](const RowAccess& rows) {
    for (const Results& results : all)
      for (const Gradient& gradient : results.gradients) emit_row_pointer(out, rows, gradient.name, "");
    out.open("if (at_end) {");
    if (adds_gap(plan, Tensor::gradient)) emit_place_in_gap(out, plan, rows);
    for (const Results& results : all) {
      out.open("{");
      emit_end_results(out, plan, results);
      out.close();
    }
    out.close();
  });
}

}  // namespace

void emit_drop(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor) {
  const RowAccess access = row_access(config, plan, tensor);
  const std::string_view row = plan.windows ? "row" : "0", chunk = plan.windows ? "chunk" : "0";
  const std::string at = fmt::format("rows_at{} + {}chunk_offset({}, {})", rows_offset(plan, tensor),
                                     plane_at(access, "plane_bytes"), slot_of_samples(plan, row), chunk);
  emit_drop_ahead(out, plan, access, {{0, 2, {at}}});
}

void emit_find_largest(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan,
                       std::span<const Statement> tensors) {
  out.line("// How large the pair's rows are, u's and dy's: what this thread has copied of them, then its warp.");
  for (const Statement& measured : tensors) {
    const RowAccess access = row_access(config, plan, measured.tensor);
    open_planes(out, access);
    open_copy_loop(out, plan, measured_rows(plan), 0, "");
    out.line(fmt::format("const SharedAddress at = rows_at{} + {}chunk_offset({}, chunk);",
                         rows_offset(plan, measured.tensor), plane_at(access, "plane_bytes"),
                         slot_of_samples(plan, "row")));
    out.line(add_largest(access, "load_shared(at)", ""));
    out.close();
    emit_measure_end(out, plan, access);
    close_planes(out, access);
  }
  emit_share_largest(out, plan);
}

void emit_gradient_store(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn) {
  const std::vector<Results> all = results_of(config, plan, turn);
  if (all.empty()) return;
  const int rows = stored_rows(plan);
  const std::vector<std::string_view> factors = factors_of(all);
  const RowAccess access = row_access(config, plan, Tensor::input, order_in_batches(plan, rows));
  out.line(step_comment(steps_of(plan, StepKind::store, true, tensors_of(plan, turn)),
                        "store, 16 bytes a lane, scaled, gated and in the rows' own type."));
  if (config.scaling == Scaling::found)
    for (const Results& results : all)
      out.line(fmt::format("const float {} = scale * found.out[{}];", results.scale,
                           row_access(config, plan, results.tensor).magnitude));
  emit_met_results(out, config, results_field(plan));
  emit_end_factors(out, plan, access, factors);
  open_planes(out, access);
  emit_plane(out, access);
  emit_leave_absent(out, access);
  for (const Results& results : all)
    for (const Gradient& gradient : results.gradients) emit_row_pointer(out, access, gradient.name, "");
  for (const std::string_view factor : factors) emit_row_pointer(out, access, factor, "const ");
  const bool from_gap = std::any_of(all.begin(), all.end(), [&](const Results& r) { return adds_gap(plan, r.tensor); });
  if (from_gap) {
    out.open("const auto place_of = [&](int sample) {");
    out.line("const int row = sample / row_samples, chunk = sample % row_samples / 8;");
    out.line(fmt::format("return rows_at + {}chunk_offset({}, chunk);", plane_at(access, "plane_bytes"),
                         slot_of_samples(plan, "row")));
    out.close("};");
  }
  ChunkBatches batches = batches_of(out, plan, rows);
  batches.open();
  emit_factors(out, batches, factors, access.stored);
  batches.open_chunks(true);
  out.line(fmt::format("const SharedAddress at = rows_at + {}chunk_offset({}, chunk);", plane_at(access, "plane_bytes"),
                       slot_of_samples(plan, "row")));
  for (const Results& results : all) emit_results(out, config, plan, batches, results, access.stored);
  out.close();
  batches.close();
  close_planes(out, access);
  emit_ends(out, plan, access, all);
  if (reports(config)) emit_report(out, results_field(plan), "channel");
}

std::string backward_store(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(2);
  const Geometry& geometry = plan.geometry;
  const BackwardWork& work = plan.backward;
  emit_gradient_store(out, config, plan, geometry.in_turn ? Turn::gradient : Turn::together);
  const bool gap = adds_gap(plan, Tensor::gradient);
  if (gap) {
    out.line("// What lies in the gap has been read by threads that do not copy there.");
    out.line(has_columns(plan) ? "group_barrier<group_threads>(group);" : "warp_barrier();");
  }
  if (geometry.buffers > 1) return out.take();
  const bool u_is_late = work.transforms_input && (geometry.in_turn || geometry.gate_at_load || work.inverts_input);
  const bool dy_is_late = work.transforms_gradient && !geometry.in_turn;
  if (!gap) out.line("// The same threads copy in what they have just copied out: no barrier is needed.");
  if (adds_in_turns(plan)) {
    out.line(
        "// The block's next row, of this channel or of its next one: a load is many instructions, so it is here "
        "once.");
    out.line("const bool more = pair + members < end_pair;");
    out.line("const int channel_of_next = more ? channel : channel + next_channel;");
    out.line("if (channel_of_next < arguments.channels)");
    out.line("  load_u(channel_of_next, more ? pair + members : first_pair + member, 0);");
    out.line("turns.end_row();");
    return out.take();
  }
  out.open("if (pair + groups < end_pair) {");
  emit_load_calls(out, config, plan, "pair + groups", work.transforms_input && (u_is_late || !has_columns(plan)),
                  dy_is_late);
  out.close();
  return out.take();
}

}  // namespace ffc
