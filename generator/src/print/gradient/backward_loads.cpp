// Loads of a backward kernel: rows of u and dy to shared memory, and their gates.
#include "backward_loads.hpp"

#include <fmt/format.h>

#include <vector>

#include "chunk_access.hpp"
#include "ffc/generator/backward_work.hpp"
#include "load_target.hpp"
#include "measure_rows.hpp"
#include "plan_steps.hpp"
#include "register_rows.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "row_chain.hpp"
#include "row_source.hpp"
#include "step_text.hpp"
#include "threads.hpp"
#include "tiled_copies.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_pieces.hpp"
#include "tiled_shape.hpp"
#include "wrapped_ends.hpp"

namespace ffc {
namespace {

// What a load is told beside its pair, where blocks share channels: it may be of the next one.
std::string_view channel_of_load(const InBlockPlan& plan) { return adds_in_turns(plan) ? "int channel, " : ""; }

// Chunks through registers, or multiplied by rows that are: so many at a time as hide what a read takes. In the longest
// rows a block has the SM and its registers to itself.
int most_at_once(const InBlockPlan& plan) { return plan.geometry.in_turn && plan.geometry.gate_at_load ? 8 : 4; }

// The rows of that name are read again when results are stored, and stay in the L2 cache until then.
bool is_kept(const ConvConfig& config, const InBlockPlan& plan, std::string_view name) {
  if (name == "dy") return plan.backward.inverts_input;
  if (name == "u") return config.gradients.w;
  return name == "w" && config.gradients.u;
}

std::vector<Tensor> transformed(const InBlockPlan& plan) {
  std::vector<Tensor> tensors;
  if (plan.backward.transforms_input) tensors.push_back(Tensor::input);
  if (plan.backward.transforms_gradient) tensors.push_back(Tensor::gradient);
  return tensors;
}

// Rows of both tensors are read by one lambda, all of them before the first is used.
bool reads_together(const ConvConfig& config, const InBlockPlan& plan) {
  const std::vector<Tensor> tensors = transformed(plan);
  if (!plan.geometry.gate_at_load || plan.geometry.in_turn || tensors.size() != 2) return false;
  int chunks = 0;
  for (const Tensor tensor : tensors)
    chunks += tensor_chunks_of_thread(plan, !row_access(config, plan, tensor).source.gate.empty());
  return chunks <= (plan.geometry.warps_per_group == 1 ? measured::most_chunks_of_warp : measured::most_chunks_of_pair);
}

// Copies that pass no registers are of rows that nobody reads again. Where tensors take turns they leave the L2 cache
// to the sums and to u's frequencies, which wait there for their turn: 8% of the time at 32768.
std::string load_of(const InBlockPlan& plan, const RowAccess& access, std::string_view to, bool drops) {
  return load_chunk(access.loaded, to, access.source.rows, "live", {.once = plan.geometry.in_turn, .drops = drops});
}

// Declares where a chunk lies in its row.
std::string_view sample_of(const RowAccess& access) {
  return access.loaded.sample.empty() ? copy_sample_line : access.loaded.sample;
}

// Where a chunk of a tensor's rows goes, which begin at `to`.
std::string place_of(const InBlockPlan& plan, const RowAccess& access, std::string_view to) {
  return fmt::format("{} + {}chunk_offset({}, chunk)", to, plane_at(access, "plane_bytes"),
                     slot_of_samples(plan, "row"));
}

void emit_place(TextWriter& out, const InBlockPlan& plan, std::string_view name, Tensor tensor) {
  out.line(fmt::format("const SharedAddress {} = shared + (group * buffers + buffer) * tensors * buffer_bytes{};", name,
                       rows_offset(plan, tensor)));
}

// How a tensor's chunks come to registers. It does not outlive the arguments.
ChunkReads reads_of(const ConvConfig& config, const InBlockPlan& plan, const RowAccess& access) {
  return line_reads(access.loaded, sample_of(access),
                    [&config, &plan](std::string_view name) { return is_kept(config, plan, name); });
}

// The largest of both tensors, or of the one that was read, to the warps of the group and back.
void emit_scales(TextWriter& out, const InBlockPlan& plan, const std::vector<Tensor>& tensors,
                 std::string_view magnitude) {
  const bool both = tensors.size() == 2;
  emit_group_largest(out, plan, both || tensors.front() == Tensor::input ? "2 * group" : "(2 * group + 1)");
  out.line(both ? fmt::format("found = {};", found_scales(plan))
                : fmt::format("found.take({}, {});", magnitude, shared_largest(plan)));
}

// Rows of these tensors through registers, whose gates and powers of two are applied on the way.
void emit_load_at_once(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan,
                       const std::vector<Tensor>& tensors) {
  std::vector<RowAccess> accesses;
  accesses.reserve(tensors.size());
  for (const Tensor tensor : tensors) accesses.push_back(row_access(config, plan, tensor));
  std::vector<RegisterRows> rows;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string to = fmt::format("{}_to", accesses[i].source.rows);
    emit_place(out, plan, to, tensors[i]);
    if (reports(config)) emit_met(out, met_of(config, accesses[i].source), samples_field(tensors[i]));
    rows.emplace_back(config, plan, accesses[i], std::string(samples_field(tensors[i])),
                      place_of(plan, accesses[i], to));
  }
  out.line("// All that is read is on its way before the first of it is used.");
  for (const RegisterRows& of_tensor : rows) of_tensor.declare(out);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!accesses[i].planes) out.open("{");
    open_rows(out, accesses[i]);
    rows[i].read(out, reads_of(config, plan, accesses[i]));
    close_planes(out, accesses[i]);
    if (!accesses[i].planes) out.close();
  }
  const bool measures = config.scaling == Scaling::found;
  if (measures) out.line("// How large the rows are, before they are scaled.").line("Largest largest;");
  for (std::size_t i = 0; i < tensors.size(); ++i) rows[i].measure(out, reads_of(config, plan, accesses[i]));
  if (measures) emit_scales(out, plan, tensors, accesses.front().magnitude);
  for (const RegisterRows& of_tensor : rows) of_tensor.store(out);
  if (tensors.front() == transformed(plan).front()) emit_load_ends(out, config, plan);
  out.line("commit_copies();");
  if (reports(config))
    for (const Tensor tensor : tensors) emit_report(out, samples_field(tensor), "channel");
}

// Rows of one tensor: asynchronous copies, or through registers in batches.
void emit_load(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor) {
  const bool converts = plan.geometry.gate_at_load;
  const RowAccess access =
      row_access(config, plan, tensor, converts ? order_in_batches(plan, plan.loaded_rows()) : ChunkOrder::unrolled);
  const std::string_view live = access.loaded.live, sample = sample_of(access);
  emit_place(out, plan, "to", tensor);
  if (scales_in_load(plan)) {
    if (tensor == Tensor::input)
      emit_input_scale(out, config, "channel");
    else
      emit_row_scale(out, config, "gradient", "channel", "gradient_scale");
  }
  const bool meets = reports(config) && converts;
  if (meets) emit_met(out, met_of(config, access.source), samples_field(tensor));
  open_rows(out, access);
  const std::string place = place_of(plan, access, "to");
  if (converts) {
    ChunkBatches batches = batches_of(out, plan, plan.loaded_rows(), sample);
    emit_load_converted(out, batches, config, access, samples_field(tensor), reads_of(config, plan, access), place);
  } else {
    open_copy_loop(out, plan, plan.loaded_rows(), 0, sample);
    out.line(fmt::format("const int live = {};", live));
    out.line(fmt::format("const SharedAddress at = {};", place));
    out.line(load_of(plan, access, "at", false));
    out.close();
  }
  close_planes(out, access);
  if (tensor == transformed(plan).front()) emit_load_ends(out, config, plan);
  out.line("commit_copies();");
  if (meets) emit_report(out, samples_field(tensor), "channel");
}

// The lambda that loads rows of these tensors.
void emit_lambda(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan,
                 const std::vector<Tensor>& tensors) {
  const std::string_view name = tensors.size() == 2 ? "pair" : row_access(config, plan, tensors.front()).source.rows;
  out.open(fmt::format("const auto load_{} = [&]({}int pair, int buffer) {{", name, channel_of_load(plan)));
  const bool measures = config.scaling == Scaling::found && plan.geometry.gate_at_load;
  if (tensors.size() == 2 || measures)
    emit_load_at_once(out, config, plan, tensors);
  else
    emit_load(out, config, plan, tensors.front());
  out.close("};");
}

// The copy of a row of dy into the place of a row of u's frequencies.
void emit_refill(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan) {
  const RowAccess access = row_access(config, plan, Tensor::gradient, ChunkOrder::any);
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

}  // namespace

bool keeps_rows(const ConvConfig& config, const InBlockPlan& plan) {
  if (!plan.geometry.gate_at_load) return false;
  const BackwardWork& work = plan.backward;
  const bool of_input = is_kept(config, plan, "u") || (has_in_gate(config.gating) && is_kept(config, plan, "w"));
  return (work.transforms_gradient && is_kept(config, plan, "dy")) || (work.transforms_input && of_input);
}

ChunkOrder order_in_batches(const InBlockPlan& plan, int rows) { return chunk_order(plan, rows, most_at_once(plan)); }

ChunkBatches batches_of(TextWriter& out, const InBlockPlan& plan, int rows, std::string_view sample) {
  return chunk_batches(out, plan, rows, most_at_once(plan), sample);
}

std::string backward_load(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(1);
  out.line(step_comment(steps_of(plan, StepKind::load, false, {Tensor::input, Tensor::gradient}),
                        fmt::format("start the copies of a pair, {}. Samples that do not exist become zero.",
                                    copies_whole_rows(plan) ? "whole rows at a time" : "each warp its own columns")));
  if (config.scaling == Scaling::found && plan.geometry.gate_at_load)
    out.line("FoundScales found{};  // of the rows that were loaded last, u's and dy's");
  const std::vector<Tensor> tensors = transformed(plan);
  if (reads_together(config, plan)) {
    emit_lambda(out, config, plan, tensors);
    return out.take();
  }
  for (const Tensor tensor : tensors) {
    if (tensor == Tensor::gradient && refills_rows(plan))
      emit_refill(out, config, plan);
    else
      emit_lambda(out, config, plan, {tensor});
  }
  return out.take();
}

void emit_load_calls(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, std::string_view pair,
                     bool input, bool gradient) {
  if (input && gradient && reads_together(config, plan)) {
    out.line(fmt::format("load_pair({}, 0);", pair));
    return;
  }
  if (input) out.line(fmt::format("load_u({}, 0);", pair));
  if (gradient) out.line(fmt::format("load_dy({}, 0);", pair));
}

std::string backward_first_load(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(1);
  out.open("if (first_pair + group < end_pair) {");
  emit_load_calls(out, config, plan, "first_pair + group", plan.backward.transforms_input,
                  plan.backward.transforms_gradient && !plan.geometry.in_turn);
  out.close();
  return out.take();
}

}  // namespace ffc
