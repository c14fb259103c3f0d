// Copies of a backward kernel: rows of u and dy in, gradients out.
#include "backward_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "drop_ahead.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_copies.hpp"
#include "gradient_results.hpp"
#include "lower_chains.hpp"
#include "plan_steps.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "row_chain.hpp"
#include "row_source.hpp"
#include "statement.hpp"
#include "step_text.hpp"
#include "text.hpp"
#include "tiled_chunks.hpp"
#include "tiled_copies.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// What a load is told beside its pair, where blocks share channels: it may be of the next one.
std::string_view channel_of_load(const InBlockPlan& plan) { return adds_in_turns(plan) ? "int channel, " : ""; }

// Chunks through registers, or multiplied by rows that are: so many at a time as hide what a read takes. In the longest
// rows a block has the SM and its registers to itself.
int most_at_once(const InBlockPlan& plan) { return plan.geometry.in_turn && plan.geometry.gate_at_load ? 8 : 4; }

// The chunks of `rows` rows in batches; `sample` declares where they are.
ChunkBatches batches_of(TextWriter& out, const InBlockPlan& plan, int rows,
                        std::string_view sample = copy_sample_line) {
  const int iterations = copy_shape(plan, rows).iterations;
  const int most = most_at_once(plan), count = (iterations + most - 1) / most;
  const int at_once = (iterations + count - 1) / count;
  const auto place = [&plan, rows, iterations, at_once](TextWriter& to) {
    if (iterations % at_once != 0) to.line(fmt::format("if (i >= {}) break;", iterations));
    emit_copy_position(to, plan, rows);
  };
  if (count == 1) return {out, {at_once, "", "0", sample, place}};
  const std::string loop = fmt::format("for (int first = 0; first < {}; first += {}) {{", iterations, at_once);
  return {out, {at_once, loop, "first", sample, place}};
}

// Whether results of the last new samples are completed by what is in the gap.
bool adds_gap(const InBlockPlan& plan, Tensor tensor) {
  return tensor == Tensor::gradient && plan.windows && plan.windows->gap > 0;
}

// The rows of that name are read again when results are stored, and stay in the L2 cache until then.
bool is_kept(const ConvConfig& config, const InBlockPlan& plan, std::string_view name) {
  if (name == "dy") return plan.backward.inverts_input;
  if (name == "u") return config.gradients.w;
  return name == "w" && config.gradients.u;
}

std::string read_of(const ConvConfig& config, const InBlockPlan& plan, const RowAccess& access, std::string_view name) {
  return read_chunk(access.loaded, name, "live", {.kept = is_kept(config, plan, name)});
}

// Copies that pass no registers are of rows that nobody reads again. Where tensors take turns they leave the L2 cache
// to the sums and to u's frequencies, which wait there for their turn: 8% of the time at 32768.
std::string load_of(const InBlockPlan& plan, const RowAccess& access, std::string_view to, bool drops) {
  return load_chunk(access.loaded, to, access.source.rows, "live", {.once = plan.geometry.in_turn, .drops = drops});
}

// Opens the planes of a pair's rows and declares where they and their gates are.
void open_rows(TextWriter& out, const RowAccess& access) {
  const auto& [rows, gate, scale] = access.source;
  open_planes(out, access);
  emit_plane(out, access);
  if (!access.loaded.bounds.empty()) out.line(access.loaded.bounds);
  emit_row_pointer(out, access, rows, "const ");
  if (!gate.empty()) emit_row_pointer(out, access, gate, "const ");
}

// Declares where a chunk lies in its row.
std::string_view sample_of(const RowAccess& access) {
  return access.loaded.sample.empty() ? copy_sample_line : access.loaded.sample;
}

// Rows whose gates are applied on the way to shared memory are read twice: their power of two comes first.
void emit_find_ahead(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor) {
  const RowAccess access = row_access(config, plan, tensor);
  const auto& [rows, gate, scale] = access.source;
  out.line("// How large the rows are, before they are scaled.");
  out.line("Largest largest;");
  if (!access.planes) out.open("{");
  open_rows(out, access);
  open_copy_loop(out, plan, plan.loaded_rows(), most_at_once(plan), sample_of(access));
  out.line(fmt::format("const int live = {};", access.loaded.live));
  out.line(fmt::format("const uint4 value = {};", read_of(config, plan, access, rows)));
  if (!gate.empty()) out.line(fmt::format("const uint4 gate = {};", read_of(config, plan, access, gate)));
  out.line(gate.empty() ? fmt::format("largest.add({}, value);", access.magnitude)
                        : fmt::format("largest.add_gated({}, value, gate);", access.magnitude));
  out.close();
  close_planes(out, access);
  if (!access.planes) out.close();
  emit_share_largest(out, plan, tensor == Tensor::input ? "2 * group" : "(2 * group + 1)");
  if (plan.geometry.warps_per_group > 1) out.line("group_barrier<group_threads>(group);");
  out.line(fmt::format("found.take({}, {});", access.magnitude, shared_largest(plan)));
}

void emit_load(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor) {
  const RowAccess access = row_access(config, plan, tensor);
  const std::string_view rows = access.source.rows, live = access.loaded.live;
  out.open(fmt::format("const auto load_{} = [&]({}int pair, int buffer) {{", rows, channel_of_load(plan)));
  out.line(fmt::format("const SharedAddress to = shared + (group * buffers + buffer) * tensors * buffer_bytes{};",
                       rows_offset(plan, tensor)));
  if (scales_in_load(plan)) {
    if (tensor == Tensor::input)
      emit_input_scale(out, config, "channel");
    else
      emit_row_scale(out, config, "gradient", "channel", "gradient_scale");
  }
  if (config.scaling == Scaling::found && plan.geometry.gate_at_load) emit_find_ahead(out, config, plan, tensor);
  const bool meets = reports(config) && plan.geometry.gate_at_load;
  if (meets) emit_met(out, met_of(config, access.source), samples_field(tensor));
  open_rows(out, access);
  const std::string_view sample = sample_of(access);
  const std::string place =
      fmt::format("to + {}chunk_offset({}, chunk)", plane_at(access, "plane_bytes"), slot_of_samples(plan, "row"));
  if (plan.geometry.gate_at_load) {
    ChunkBatches batches = batches_of(out, plan, plan.loaded_rows(), sample);
    emit_load_converted(
        out, batches, config, access, samples_field(tensor),
        [&](std::string_view name) { return is_kept(config, plan, name); }, place);
  } else {
    open_copy_loop(out, plan, plan.loaded_rows(), 0, sample);
    out.line(fmt::format("const int live = {};", live));
    out.line(fmt::format("const SharedAddress at = {};", place));
    out.line(load_of(plan, access, "at", false));
    out.close();
  }
  close_planes(out, access);
  out.line("commit_copies();");
  if (meets) emit_report(out, samples_field(tensor), "channel");
  out.close("};");
}

// The copy of a row of dy into the place of a row of u's frequencies.
void emit_refill(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  const RowAccess access = row_access(config, plan, Tensor::gradient);
  out.line("// Starts a warp's copy of that row of dy which takes the place of u's frequencies `row`.");
  out.open(fmt::format("const auto refill_row = [&]({}int pair, int row) {{", channel_of_load(plan)));
  out.line(fmt::format("const int slot = {};", slot_of_row(plan, "row")));
  out.line(fmt::format("const int sample = ({}) * row_samples + lane * 8;", samples_of_slot(plan, "row")));
  if (plan.loaded_rows() < plan.rows())
    out.line(fmt::format("if (sample >= {} * row_samples) return;", plan.loaded_rows()));
  open_planes(out, access);
  emit_plane(out, access);
  emit_row_pointer(out, access, access.source.rows, "const ");
  out.line(fmt::format("const int live = {};", access.loaded.live));
  out.line(
      load_of(plan, access, fmt::format("shared + {}chunk_offset(slot, lane)", plane_at(access, "plane_bytes")), true));
  close_planes(out, access);
  out.close("};");
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
    out.line(write_chunk(chunks, gradient.name));
    out.close();
  }
  out.close();
}

}  // namespace

bool keeps_rows(const ConvConfig& config, const InBlockPlan& plan) {
  if (!plan.geometry.gate_at_load) return false;
  const BackwardWork& work = plan.backward;
  const bool of_input = is_kept(config, plan, "u") || (has_in_gate(config.gating) && is_kept(config, plan, "w"));
  return (work.transforms_gradient && is_kept(config, plan, "dy")) || (work.transforms_input && of_input);
}

std::string backward_load(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(1);
  out.line(step_comment(steps_of(plan, StepKind::load, false, {Tensor::input, Tensor::gradient}),
                        fmt::format("start the copies of a pair, {}. Samples that do not exist become zero.",
                                    copies_whole_rows(plan) ? "whole rows at a time" : "each warp its own columns")));
  if (config.scaling == Scaling::found && plan.geometry.gate_at_load)
    out.line("FoundScales found{};  // of the rows that were loaded last, u's and dy's");
  if (plan.backward.transforms_input) emit_load(out, config, plan, Tensor::input);
  if (refills_rows(plan))
    emit_refill(out, config, plan);
  else if (plan.backward.transforms_gradient)
    emit_load(out, config, plan, Tensor::gradient);
  return out.take();
}

std::string backward_first_load(const InBlockPlan& plan) {
  TextWriter out(1);
  out.open("if (first_pair + group < end_pair) {");
  if (plan.backward.transforms_input) out.line("load_u(first_pair + group, 0);");
  if (plan.backward.transforms_gradient && !plan.geometry.in_turn) out.line("load_dy(first_pair + group, 0);");
  out.close();
  return out.take();
}

void emit_drop(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor) {
  const RowAccess access = row_access(config, plan, tensor);
  const std::string at = fmt::format("rows_at{} + {}chunk_offset({}, 0)", rows_offset(plan, tensor),
                                     plane_at(access, "plane_bytes"), slot_of_samples(plan, "0"));
  emit_drop_ahead(out, plan, access, {{0, 2, {at}}});
}

void emit_find_largest(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan,
                       std::span<const Statement> tensors) {
  out.line("// How large the pair's rows are, u's and dy's: what this thread has copied of them, then its warp.");
  for (const Statement& measured : tensors) {
    const RowAccess access = row_access(config, plan, measured.tensor);
    open_planes(out, access);
    open_copy_loop(out, plan, plan.loaded_rows(), 0, "");
    out.line(fmt::format("const SharedAddress at = rows_at{} + {}chunk_offset({}, chunk);",
                         rows_offset(plan, measured.tensor), plane_at(access, "plane_bytes"),
                         slot_of_samples(plan, "row")));
    out.line(fmt::format("largest.add({}, load_shared(at));", access.magnitude));
    out.close();
    close_planes(out, access);
  }
  emit_share_largest(out, plan);
}

void emit_gradient_store(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn) {
  const std::vector<Results> all = results_of(config, plan, turn);
  if (all.empty()) return;
  const int rows = stored_rows(plan);
  const std::vector<std::string_view> factors = factors_of(all);
  const RowAccess access = row_access(config, plan);
  out.line(step_comment(steps_of(plan, StepKind::store, true, tensors_of(plan, turn)),
                        "store, 16 bytes a lane, scaled, gated and in the rows' own type."));
  if (config.scaling == Scaling::found)
    for (const Results& results : all)
      out.line(fmt::format("const float {} = scale * found.out[{}];", results.scale,
                           row_access(config, plan, results.tensor).magnitude));
  emit_met_results(out, config, results_field(plan));
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
    out.line("if (pair + members < end_pair) load_u(channel, pair + members, 0);");
    out.line("turns.end_row();");
    return out.take();
  }
  out.open("if (pair + groups < end_pair) {");
  if (u_is_late || !has_columns(plan)) {
    if (work.transforms_input) out.line("load_u(pair + groups, 0);");
  }
  if (dy_is_late) out.line("load_dy(pair + groups, 0);");
  out.close();
  return out.take();
}

}  // namespace ffc
