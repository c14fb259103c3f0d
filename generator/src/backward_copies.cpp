// Copies of a backward kernel: rows of u and dy in, gradients out.
#include <fmt/format.h>

#include "backward_plan.hpp"
#include "backward_stages.hpp"
#include "gradient_results.hpp"
#include "tiled_copies.hpp"

namespace ffc {
namespace {

// Chunks through registers, or multiplied by rows that are: so many at a time as hide what a read takes. In the longest
// rows a block has the SM and its registers to itself.
int most_at_once(const Plan& plan) { return plan.geometry.in_turn && plan.geometry.gate_at_load ? 8 : 4; }

// Loops over the chunks of some rows, a few chunks at a time: all that a batch reads is on its way before the first of
// it is used, since nothing that follows a store may be read before it.
class Batches {
 public:
  Batches(TextWriter& out, const Plan& plan, int rows)
      : out_(out), plan_(plan), rows_(rows), iterations_(copy_shape(plan, rows).iterations) {
    const int most = most_at_once(plan), batches = (iterations_ + most - 1) / most;
    at_once_ = (iterations_ + batches - 1) / batches;
  }
  [[nodiscard]] int at_once() const { return at_once_; }

  void open() {
    if (is_one()) return;
    out_.line("#pragma unroll 1");
    out_.open(fmt::format("for (int first = 0; first < {}; first += {}) {{", iterations_, at_once_));
  }
  void close() {
    if (!is_one()) out_.close();
  }
  // Opens the loop over the chunks of a batch.
  void open_chunks() {
    open_loop(out_, "i", is_one() ? "0" : "first", fmt::format("{}{}", is_one() ? "" : "first + ", at_once_));
    if (iterations_ % at_once_ != 0) out_.line(fmt::format("if (i >= {}) break;", iterations_));
    emit_copy_position(out_, plan_, rows_);
  }
  // The element of chunk `i` in an array of a batch.
  [[nodiscard]] std::string of_chunk(std::string_view array) const {
    return fmt::format("{}[{}]", array, is_one() ? "i" : "i - first");
  }

 private:
  [[nodiscard]] bool is_one() const { return at_once_ == iterations_; }

  TextWriter& out_;
  const Plan& plan_;
  int rows_, iterations_, at_once_ = 0;
};

// Where a tensor's rows lie behind those of the pair's first tensor.
std::string_view offset_of(const Plan& plan, Tensor tensor) {
  return tensor == Tensor::gradient && plan.resident_tensors() > 1 ? " + buffer_bytes" : "";
}

// The rows of that name are read again when results are stored, and stay in the L2 cache until then.
bool is_kept(const ConvConfig& config, const Plan& plan, std::string_view name) {
  if (name == "dy") return plan.backward.inverts_input;
  if (name == "u") return config.gradients.w;
  return name == "w" && config.gradients.u;
}

std::string read_of(const ConvConfig& config, const Plan& plan, std::string_view name, std::string_view live) {
  return fmt::format("read_{}chunk<alignment>({} + sample, {})", is_kept(config, plan, name) ? "kept_" : "", name,
                     live);
}

// Chunks through registers, gated and scaled on the way.
void emit_load_converted(TextWriter& out, const ConvConfig& config, const Plan& plan, const RowSource& source,
                         std::string_view live) {
  Batches batches(out, plan, plan.loaded_rows());
  const bool gated = !source.gate.empty();
  batches.open();
  out.line(fmt::format("uint4 values[{0}]{1};", batches.at_once(),
                       gated ? fmt::format(", gates[{}]", batches.at_once()) : ""));
  batches.open_chunks();
  emit_copy_sample(out);
  out.line(fmt::format("const int live = {};", live));
  const std::string value = batches.of_chunk("values"), gate = batches.of_chunk("gates");
  out.line(fmt::format("{} = {};", value, read_of(config, plan, source.rows, "live")));
  if (gated) out.line(fmt::format("{} = {};", gate, read_of(config, plan, source.gate, "live")));
  out.close();
  batches.open_chunks();
  emit_read_chunk(out, source,
                  fmt::format("to + part * plane_bytes + chunk_offset({}, chunk)", slot_of_samples(plan, "row")), value,
                  gate);
  out.close();
  batches.close();
}

// Template arguments of copies that pass no registers, of rows that nobody reads again. Where tensors take turns they
// leave the L2 cache to the sums and to u's frequencies, which wait there for their turn: 8% of the time at 32768.
std::string_view copy_options(const Plan& plan) { return plan.geometry.in_turn ? "alignment, true" : "alignment"; }

void emit_load(TextWriter& out, const ConvConfig& config, const Plan& plan, Tensor tensor) {
  const RowSource source = source_of(config, tensor);
  out.open(fmt::format("const auto load_{} = [&](int pair, int buffer) {{", source.rows));
  out.line(fmt::format("const SharedAddress to = shared + (group * buffers + buffer) * tensors * buffer_bytes{};",
                       offset_of(plan, tensor)));
  out.unroll().open("for (int part = 0; part < 2; ++part) {");
  emit_exists(out, plan);
  emit_row_pointer(out, plan, source.rows, "const ");
  if (!source.gate.empty()) emit_row_pointer(out, plan, source.gate, "const ");
  const std::string live = live_if_exists(plan, live_samples(config, plan, plan.loaded_rows()));
  if (plan.geometry.gate_at_load) {
    emit_load_converted(out, config, plan, source, live);
  } else {
    open_copy_loop(out, plan, plan.loaded_rows());
    out.line(fmt::format("const int live = {};", live));
    out.line(fmt::format("const SharedAddress at = to + part * plane_bytes + chunk_offset({}, chunk);",
                         slot_of_samples(plan, "row")));
    out.line(fmt::format("load_chunk<{}>(at, {} + sample, live);", copy_options(plan), source.rows));
    out.close();
  }
  out.close();
  out.line("commit_copies();");
  out.close("};");
}

// The copy of a row of dy into the place of a row of u's frequencies.
void emit_refill(TextWriter& out, const ConvConfig& config, const Plan& plan) {
  out.line("// Starts a warp's copy of that row of dy which takes the place of u's frequencies `row`.");
  out.open("const auto refill_row = [&](int pair, int row) {");
  out.line(fmt::format("const int slot = {};", slot_of_row(plan, "row")));
  out.line(fmt::format("const int sample = ({}) * row_samples + lane * 8;", samples_of_slot(plan, "row")));
  if (plan.loaded_rows() < plan.rows())
    out.line(fmt::format("if (sample >= {} * row_samples) return;", plan.loaded_rows()));
  out.unroll().open("for (int part = 0; part < 2; ++part) {");
  emit_exists(out, plan);
  emit_row_pointer(out, plan, "dy", "const ");
  out.line(fmt::format("const int live = {};", live_if_exists(plan, live_samples(config, plan, plan.loaded_rows()))));
  out.line(fmt::format("load_chunk<{}>(shared + part * plane_bytes + chunk_offset(slot, lane), dy + sample, live);",
                       copy_options(plan)));
  out.close().close("};");
}

// The rows that results are multiplied by.
std::vector<std::string_view> factors_of(const std::vector<Results>& all) {
  std::vector<std::string_view> factors;
  for (const Results& results : all)
    for (const Gradient& gradient : results.gradients)
      if (!gradient.factor.empty()) factors.push_back(gradient.factor);
  return factors;
}

std::string factors_name(std::string_view factor) { return fmt::format("{}_factors", factor); }

void emit_results(TextWriter& out, const Plan& plan, const Batches& batches, const Results& results,
                  std::string_view live) {
  out.open("{");
  out.line(fmt::format("const uint4 result = load_shared(at{});", offset_of(plan, results.tensor)));
  for (const Gradient& gradient : results.gradients) {
    out.open("{");
    out.line("uint4 value = result;");
    if (!gradient.factor.empty())
      out.line(fmt::format("const uint4 factor = {};", batches.of_chunk(factors_name(gradient.factor))));
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

bool keeps_rows(const ConvConfig& config, const Plan& plan) {
  if (!plan.geometry.gate_at_load) return false;
  const BackwardWork& work = plan.backward;
  const bool of_input = is_kept(config, plan, "u") || (has_in_gate(config.gating) && is_kept(config, plan, "w"));
  return (work.transforms_gradient && is_kept(config, plan, "dy")) || (work.transforms_input && of_input);
}

bool refills_rows(const Plan& plan) {
  const BackwardWork& work = plan.backward;
  const bool own_rows = plan.couples() % plan.geometry.warps_per_group == 0;  // no warp reads those of another
  return plan.geometry.in_turn && !plan.geometry.gate_at_load && own_rows && work.tensors() > 1 && !work.inverts_input;
}

std::string backward_load(const ConvConfig& config, const Plan& plan) {
  TextWriter out(1);
  out.line(fmt::format("// Start the copies of a pair, {}. Samples that do not exist become zero.",
                       copies_whole_rows(plan) ? "whole rows at a time" : "each warp its own columns"));
  if (plan.backward.transforms_input) emit_load(out, config, plan, Tensor::input);
  if (refills_rows(plan))
    emit_refill(out, config, plan);
  else if (plan.backward.transforms_gradient)
    emit_load(out, config, plan, Tensor::gradient);
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
  const std::vector<std::string_view> factors = factors_of(all);
  const std::string live = live_samples(config, plan, rows);
  out.line("// Store: 16 bytes a lane, scaled, gated and in the rows' own type.");
  out.unroll().open("for (int part = 0; part < 2; ++part) {");
  emit_exists(out, plan);
  out.line("if (!exists) break;");
  for (const Results& results : all)
    for (const Gradient& gradient : results.gradients) emit_row_pointer(out, plan, gradient.name, "");
  for (const std::string_view factor : factors) emit_row_pointer(out, plan, factor, "const ");
  Batches batches(out, plan, rows);
  batches.open();
  if (!factors.empty()) {
    for (const std::string_view factor : factors)
      out.line(fmt::format("uint4 {}[{}];", factors_name(factor), batches.at_once()));
    batches.open_chunks();
    emit_copy_sample(out);
    for (const std::string_view factor : factors)
      out.line(fmt::format("{} = read_chunk<alignment>({} + sample, {});", batches.of_chunk(factors_name(factor)),
                           factor, live));
    out.close();
  }
  batches.open_chunks();
  emit_copy_sample(out);
  out.line(fmt::format("const SharedAddress at = rows_at + part * plane_bytes + chunk_offset({}, chunk);",
                       slot_of_samples(plan, "row")));
  for (const Results& results : all) emit_results(out, plan, batches, results, live);
  out.close();
  batches.close();
  out.close();
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
