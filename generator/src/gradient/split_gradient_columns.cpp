// Copies of the columns of a backward kernel. A complex row is one tensor's, u's or dy's; what is gated or scaled comes
// through registers.
#include "split_gradient_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assemble.hpp"
#include "columns_text.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_copies.hpp"
#include "gradient_results.hpp"
#include "row_source.hpp"
#include "split_shape.hpp"
#include "text.hpp"
#include "tiled_copies.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Chunks of a thread in flight: what its registers hold, of two tensors.
int chunks_in_flight(const FourStepPlan& plan) { return plan.columns.registers > 0 ? 4 : 8; }

constexpr std::string_view sample_line = "const int sample = row * row_length + first_column + 8 * chunk;";

// Where a thread's chunk of a part lies in the tile: of rows alone there are real parts, which come in where imaginary
// parts will be.
std::string_view address_of(const FourStepPlan& plan, bool comes_in) {
  if (!plan.right_angle()) return "chunk_at(tile, part, slot_of_sample(row), chunk)";
  return comes_in ? "chunk_at(tile, 1, slot_of_sample(row), chunk)" : "chunk_at(tile, 0, slot_of_sample(row), chunk)";
}

// A thread's chunks of the first `rows` rows of a tile in batches.
ChunkBatches batches_of(TextWriter& out, const FourStepPlan& plan, int rows) {
  const int row_step = copied_rows(plan);
  const int at_once = std::clamp((rows + row_step - 1) / row_step, 1, chunks_in_flight(plan));
  const std::string loop =
      fmt::format("for (int first = thread / tile_chunks; first < {}; first += {}) {{", rows, at_once * row_step);
  const auto place = [rows, row_step, at_once](TextWriter& to) {
    to.line(fmt::format("const int row = first + {} * i;", row_step));
    if (rows % (at_once * row_step) != 0) to.line(fmt::format("if (row >= {}) break;", rows));
  };
  return {out, {at_once, loop, "0", sample_line, place}};
}

void emit_pointer(TextWriter& out, const FourStepPlan& plan, std::string_view name, std::string_view qualifiers) {
  out.line(
      fmt::format("{1}unsigned short* const {0} = static_cast<{1}unsigned short*>(arguments.{0}) +", name, qualifiers));
  out.line(fmt::format("    {1} * arguments.{0}_batch_stride + at.channel * arguments.{0}_channel_stride;", name,
                       plan.right_angle() ? "at.pair" : "(2 * at.pair + (exists ? part : 0))"));
}

// Opens the loop over the rows of a pair; a row alone has none.
void open_row_parts(TextWriter& out, const FourStepPlan& plan) {
  out.line("const int chunk = thread % tile_chunks;");
  if (plan.right_angle()) return;
  if (!parts_take_turns(plan)) out.unroll().open("for (int part = 0; part < 2; ++part) {");
  out.line("const bool exists = part == 0 || at.has_partner;");
}

void close_row_parts(TextWriter& out, const FourStepPlan& plan) {
  if (!plan.right_angle() && !parts_take_turns(plan)) out.close();
}

std::string live_if_exists(const FourStepPlan& plan, const std::string& live) {
  return plan.right_angle() ? live : fmt::format("exists ? {} : 0", live);
}

void emit_load(TextWriter& out, const ConvConfig& config, const FourStepPlan& plan, Tensor tensor) {
  const RowSource source = source_of(config, tensor);
  const int rows = halves_samples(plan) ? plan.columns.length() / 2 : plan.columns.length();
  open_row_parts(out, plan);
  if (converts_at_load(config)) {
    emit_pointer(out, plan, source.rows, "const ");
    if (!source.gate.empty()) emit_pointer(out, plan, source.gate, "const ");
    ChunkBatches batches = batches_of(out, plan, rows);
    const auto read = [](std::string_view name) {
      return fmt::format("read_chunk<alignment>({} + sample, live)", name);
    };
    emit_load_converted(out, batches, source, live_if_exists(plan, live_samples(plan, rows, "sample")), read,
                        address_of(plan, true));
  } else {
    emit_first_sample(out, plan);
    emit_pointer(out, plan, source.rows, "const ");
    open_copy_loop(out, plan, rows, "loads_at_once");
    out.line(fmt::format("load_chunk<alignment, true>({}, {} + first_sample + sample, {});", address_of(plan, true),
                         source.rows, live_if_exists(plan, live_samples(plan, rows))));
    out.close();
  }
  close_row_parts(out, plan);
}

// `body` for the tensor that a turn is at.
template <class Body>
void each_tensor(TextWriter& out, const FourStepPlan& plan, Body body) {
  const BackwardWork& work = plan.backward;
  if (work.tensors() == 1) return body(work.transforms_input ? Tensor::input : Tensor::gradient);
  out.open("if (at.tensor == 0) {");
  body(Tensor::input);
  out.otherwise();
  body(Tensor::gradient);
  out.close();
}

std::string load_block(const ConvConfig& config, const FourStepPlan& plan) {
  TextWriter out(1);
  if (plan.backward.transforms_input) emit_input_scale(out, config, "at.channel");
  if (plan.backward.transforms_gradient) emit_row_scale(out, config, "gradient", "at.channel", "gradient_scale");
  each_tensor(out, plan, [&](Tensor tensor) { emit_load(out, config, plan, tensor); });
  out.line("commit_copies();");
  return out.take();
}

void emit_result(TextWriter& out, const ChunkBatches& batches, const Gradient& gradient, std::string_view scale,
                 std::string_view live) {
  out.open("{");
  out.line("uint4 value = result;");
  emit_stored_chunk(out, gradient.factor.empty() ? "" : batches.of_chunk(factors_name(gradient.factor)), scale);
  out.line(fmt::format("write_chunk<alignment>({} + sample, value, {});", gradient.name, live));
  out.close();
}

// The gradients that come from a tensor's results.
void emit_results(TextWriter& out, const FourStepPlan& plan, const Results& results) {
  const int rows = sample_rows(plan);
  const std::string live = live_samples(plan, rows, "sample");
  open_row_parts(out, plan);
  if (!plan.right_angle()) out.line(parts_take_turns(plan) ? "if (!exists) return;" : "if (!exists) break;");
  std::vector<std::string_view> factors;
  for (const Gradient& gradient : results.gradients) {
    emit_pointer(out, plan, gradient.name, "");
    if (gradient.factor.empty()) continue;
    emit_pointer(out, plan, gradient.factor, "const ");
    factors.push_back(gradient.factor);
  }
  ChunkBatches batches = batches_of(out, plan, rows);
  batches.open();
  emit_factors(out, batches, factors, live);
  batches.open_chunks(true);
  out.line(fmt::format("const uint4 result = load_shared({});", address_of(plan, false)));
  for (const Gradient& gradient : results.gradients) emit_result(out, batches, gradient, results.scale, live);
  out.close();
  batches.close();
  close_row_parts(out, plan);
}

std::string store_block(const ConvConfig& config, const FourStepPlan& plan) {
  TextWriter out(1);
  const std::vector<Results> all = results_of(config, plan, Turn::together);
  if (!all.empty()) out.line("const float scale = scale_of(arguments, at.channel);");
  emit_result_scales(out, config, plan, "at.channel");
  if (all.empty())
    out.line("(void)arguments, (void)at, (void)first_column, (void)tile, (void)thread;  // nothing is wanted");
  if (all.size() == 1) emit_results(out, plan, all.front());
  if (all.size() > 1)
    each_tensor(out, plan, [&](Tensor tensor) { emit_results(out, plan, all[tensor == Tensor::input ? 0 : 1]); });
  return out.take();
}

constexpr std::string_view row_alone = R"(// One tensor of a batch row of one channel, which is a pair by itself.
struct Pair {
  int pair, channel;
  int tensor;  // of `tensors`
  bool exists;
};

__device__ __forceinline__ int pairs_of_channel(const ConvArguments& arguments) { return arguments.batch; }
)";
constexpr std::string_view row_alone_found = "  return {pair, first_channel + within % width, tensor, exists};\n";

std::string turn_block(const FourStepPlan& plan) {
  const BackwardWork& work = plan.backward;
  TextWriter out(1);
  out.line("const int step = index / column_tiles;");
  out.line(
      "const long long all = static_cast<long long>(tensors) * pairs_of_channel(split.conv) * split.conv.channels;");
  out.line("Turn turn = {pair_at(split, step), pair_at(split, step - split.ring), place_of(split, step),");
  out.line("             index % column_tiles * tile_columns, step < all + split.ring};");
  if (!work.needs_spectrum())
    out.line("turn.out.exists = false;  // nothing is wanted as samples");
  else if (work.tensors() > 1 && work.inverts_input != work.inverts_gradient)
    out.line(fmt::format("turn.out.exists = turn.out.exists && turn.out.tensor == {};  // the other has done its part",
                         work.inverts_input ? 0 : 1));
  out.line("return turn;");
  return out.take();
}

}  // namespace

void put_gradient_columns(Blocks& blocks, const ConvConfig& config, const FourStepPlan& plan) {
  const BackwardWork& work = plan.backward;
  blocks["gradient_tensors"] = constant_line("int tensors", work.tensors(),
                                             work.tensors() > 1      ? "of a pair: u, dy"
                                             : work.transforms_input ? "of a pair: u"
                                                                     : "of a pair: dy");
  blocks["pair"] = plan.right_angle() ? std::optional<std::string>(row_alone) : as_it_stands;
  blocks["pair_of_rows"] = plan.right_angle() ? std::optional<std::string>(row_alone_found) : as_it_stands;
  blocks["samples_in"] = load_block(config, plan);
  blocks["samples_out"] = store_block(config, plan);
  blocks["turn_at"] = turn_block(plan);
  blocks["lone_out"] = "";
  blocks["still_open"] = "  if (turn.place.round == 0) return;\n";
}

}  // namespace ffc
