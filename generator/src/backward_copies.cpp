// Copies of a backward kernel: rows of u and dy in, gradients out.
#include <fmt/format.h>

#include "backward_plan.hpp"
#include "backward_stages.hpp"
#include "gradient_results.hpp"
#include "tiled_copies.hpp"

namespace ffc {
namespace {

// Copies through registers are unrolled a few at a time: enough in flight, not more registers than that.
constexpr int chunks_in_flight = 4;

// Where a tensor's rows lie behind those of the pair's first tensor.
std::string_view offset_of(const Plan& plan, Tensor tensor) {
  return tensor == Tensor::gradient && plan.resident_tensors() > 1 ? " + buffer_bytes" : "";
}

void emit_load(TextWriter& out, const ConvConfig& config, const Plan& plan, Tensor tensor) {
  const RowSource source = source_of(config, tensor);
  out.open(fmt::format("const auto load_{} = [&](int pair, int buffer) {{", source.rows));
  out.line(fmt::format("const SharedAddress to = shared + (group * buffers + buffer) * tensors * buffer_bytes{};",
                       offset_of(plan, tensor)));
  out.unroll().open("for (int part = 0; part < 2; ++part) {");
  emit_exists(out, plan);
  emit_row_pointer(out, plan, source.rows, "const ");
  if (!source.gate.empty()) emit_row_pointer(out, plan, source.gate, "const ");
  open_copy_loop(out, plan, plan.loaded_rows(), plan.geometry.gate_at_load ? chunks_in_flight : 0);
  out.line(fmt::format("const int live = {};", live_if_exists(plan, live_samples(config, plan, plan.loaded_rows()))));
  out.line(fmt::format("const SharedAddress at = to + part * plane_bytes + chunk_offset({}, chunk);",
                       slot_of_samples(plan, "row")));
  if (plan.geometry.gate_at_load)
    emit_read_chunk(out, source, "at", fmt::format("read_chunk<alignment>({} + sample, live)", source.rows),
                    fmt::format("read_chunk<alignment>({} + sample, live)", source.gate));
  else
    out.line(fmt::format("load_chunk<alignment>(at, {} + sample, live);", source.rows));
  out.close().close();
  out.line("commit_copies();");
  out.close("};");
}

void emit_results(TextWriter& out, const Plan& plan, const Results& results, std::string_view live) {
  out.open("{");
  out.line(fmt::format("const uint4 result = load_shared(at{});", offset_of(plan, results.tensor)));
  for (const Gradient& gradient : results.gradients) {
    out.open("{");
    out.line("uint4 value = result;");
    if (!gradient.factor.empty())
      out.line(fmt::format("const uint4 factor = read_chunk<alignment>({} + sample, {});", gradient.factor, live));
    for (const char word : {'x', 'y', 'z', 'w'})
      out.line(gradient.factor.empty()
                   ? fmt::format("value.{0} = to_stored(value.{0}, {1});", word, results.scale)
                   : fmt::format("value.{0} = to_stored_gated(value.{0}, {1}, factor.{0});", word, results.scale));
    out.line(fmt::format("write_chunk<alignment>({} + sample, value, {});", gradient.name, live));
    out.close();
  }
  out.close();
}

}  // namespace

std::string backward_load(const ConvConfig& config, const Plan& plan) {
  TextWriter out(1);
  out.line(fmt::format("// Start the copies of a pair, {}. Samples that do not exist become zero.",
                       copies_whole_rows(plan) ? "whole rows at a time" : "each warp its own columns"));
  if (plan.backward.transforms_input) emit_load(out, config, plan, Tensor::input);
  if (plan.backward.transforms_gradient) emit_load(out, config, plan, Tensor::gradient);
  return out.take();
}

std::string backward_first_load(const Plan& plan) {
  TextWriter out(1);
  out.open("if (first_pair + group < end_pair) {");
  if (plan.backward.transforms_input) out.line("load_u(first_pair + group, 0);");
  if (plan.backward.transforms_gradient && !plan.geometry.in_turn) out.line("load_dy(first_pair + group, 0);");
  out.close();
  return out.take();
}

void emit_gradient_store(TextWriter& out, const ConvConfig& config, const Plan& plan, Turn turn) {
  const std::vector<Results> all = results_of(config, plan, turn);
  if (all.empty()) return;
  const int rows = stored_rows(plan);
  out.line("// Store: 16 bytes a lane, scaled, gated and in the rows' own type.");
  out.unroll().open("for (int part = 0; part < 2; ++part) {");
  emit_exists(out, plan);
  out.line("if (!exists) break;");
  bool reads_u = false, reads_w = false;
  for (const Results& results : all)
    for (const Gradient& gradient : results.gradients) {
      emit_row_pointer(out, plan, gradient.name, "");
      reads_u = reads_u || gradient.factor == "u";
      reads_w = reads_w || gradient.factor == "w";
      if (gradient.factor == "dy") emit_row_pointer(out, plan, "dy", "const ");
    }
  if (reads_w) emit_row_pointer(out, plan, "w", "const ");
  if (reads_u) emit_row_pointer(out, plan, "u", "const ");
  open_copy_loop(out, plan, rows, chunks_in_flight);
  out.line(fmt::format("const SharedAddress at = rows_at + part * plane_bytes + chunk_offset({}, chunk);",
                       slot_of_samples(plan, "row")));
  for (const Results& results : all) emit_results(out, plan, results, live_samples(config, plan, rows));
  out.close().close();
}

std::string backward_store(const ConvConfig& config, const Plan& plan) {
  TextWriter out(2);
  const Geometry& geometry = plan.geometry;
  const BackwardWork& work = plan.backward;
  emit_gradient_store(out, config, plan, geometry.in_turn ? Turn::gradient : Turn::together);
  if (geometry.buffers > 1) return out.take();
  const bool u_is_late = work.transforms_input && (geometry.in_turn || geometry.gate_at_load || work.inverts_input);
  const bool dy_is_late = work.transforms_gradient && !geometry.in_turn;
  out.line("// The same threads copy in what they have just copied out: no barrier is needed.");
  out.open("if (pair + groups < end_pair) {");
  if (u_is_late || !has_columns(plan)) {
    if (work.transforms_input) out.line("load_u(pair + groups, 0);");
  }
  if (dy_is_late) out.line("load_dy(pair + groups, 0);");
  out.close();
  return out.take();
}

}  // namespace ffc
