// Copies of the columns of a backward kernel. A complex row is one tensor's, u's or dy's; what is gated or scaled comes
// through registers.
#include "split_gradient_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assemble.hpp"
#include "column_access.hpp"
#include "columns_text.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "register_copies.hpp"
#include "report_text.hpp"
#include "row_access.hpp"
#include "row_source.hpp"
#include "split_shape.hpp"
#include "text.hpp"
#include "tiled_copies.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Chunks of a thread in flight: what its registers hold, of two tensors.
int chunks_in_flight(const FourStepPlan& plan) { return plan.columns.registers > 0 ? 4 : 8; }

// Which magnitude is a pair's, in arguments of `scale_in`: that of the larger of its rows, whose sums have one power of
// two, or of a row alone its own.
std::string_view magnitude_of(const FourStepPlan& plan) {
  return plan.right_angle() ? "at.channel, at.pair" : "at.channel, 2 * at.pair, at.has_partner";
}

constexpr std::string_view sample_line = "const int sample = row * row_length + first_column + 8 * chunk;";

// A thread's chunks of the first `rows` rows of a tile in batches.
ChunkBatches batches_of(TextWriter& out, const FourStepPlan& plan, int rows) {
  const int row_step = copied_rows(plan);
  const int at_once = std::clamp((rows + row_step - 1) / row_step, 1, chunks_in_flight(plan));
  const std::string loop =
      fmt::format("for (int first = thread / tile_chunks; first < {}; first += {}) {{", rows, at_once * row_step);
  const bool early = rows % (at_once * row_step) != 0;
  const auto place = [rows, row_step, early](TextWriter& to) {
    to.line(fmt::format("const int row = first + {} * i;", row_step));
    if (early) to.line(fmt::format("if (row >= {}) break;", rows));
  };
  return {out, {at_once, loop, "0", sample_line, place, early}};
}

// Opens the loop over the rows of a pair; a row alone has none.
void open_row_parts(TextWriter& out, const RowAccess& access) {
  out.line("const int chunk = thread % tile_chunks;");
  open_planes(out, access);
  emit_plane(out, access);
}

// Copies of a thread's chunks of samples, or of their gates.
void emit_copies(TextWriter& out, const FourStepPlan& plan, const RowAccess& access, std::string_view rows) {
  open_row_parts(out, access);
  emit_first_sample(out, plan);
  emit_row_pointer(out, access, rows, "const ");
  open_copy_loop(out, plan, loaded_rows(plan), "loads_at_once");
  out.line(
      load_chunk(access.loaded, tile_chunk(access.loaded), rows, access.loaded.live, {.once = true, .drops = true}));
  out.close();
  close_planes(out, access);
}

void emit_load(TextWriter& out, const ConvConfig& config, const FourStepPlan& plan, Tensor tensor) {
  const RowAccess access = column_access(config, plan, tensor);
  const auto& [rows, gate, scale] = access.source;
  const ChunkAccess& chunks = access.loaded;
  if (!converts_on_way(config, plan)) return emit_copies(out, plan, access, rows);
  const std::string record = record_of("at.channel", samples_field(tensor));
  if (reports(config)) emit_met_again(out, met_of(config, access.source), samples_field(tensor), record);
  open_row_parts(out, access);
  emit_row_pointer(out, access, rows, "const ");
  if (!gate.empty()) emit_row_pointer(out, access, gate, "const ");
  ChunkBatches batches = batches_of(out, plan, loaded_rows(plan));
  const ChunkReads reads = line_reads(chunks, {}, [](std::string_view) { return false; });
  emit_load_converted(out, batches, config, access, samples_field(tensor), reads, tile_chunk(chunks));
  close_planes(out, access);
  if (reports(config)) emit_report_again(out, samples_field(tensor), record);
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

// What rows of each tensor are multiplied by.
void emit_scales(TextWriter& out, const ConvConfig& config, const FourStepPlan& plan) {
  const std::string_view magnitude = magnitude_of(plan);
  if (plan.backward.transforms_input) emit_input_scale(out, config, magnitude);
  if (plan.backward.transforms_gradient) emit_row_scale(out, config, "gradient", magnitude, "gradient_scale");
}

// The copies of the gates of a tile's samples, to where results have been.
std::string gates_in_block(const ConvConfig& config, const FourStepPlan& plan) {
  if (!gates_follow_results(config, plan)) return {};
  TextWriter out(0);
  out.line("");
  out.line("// Starts the copies of the gates of a tile's samples, to where its thread has read results.");
  out.line(
      "__device__ __forceinline__ void load_in_gates(const ConvArguments& arguments, const Pair& at, int "
      "first_column,");
  out.line("                                              SharedAddress tile, int thread) {");
  TextWriter body(1);
  each_tensor(body, plan, [&](Tensor tensor) {
    RowAccess access = column_access(config, plan, tensor);
    access.loaded.plane = access.stored.plane;
    emit_copies(body, plan, access, access.source.gate);
  });
  body.line("commit_copies();");
  return out.take() + body.take() + "}\n";
}

std::string load_block(const ConvConfig& config, const FourStepPlan& plan) {
  TextWriter out(1);
  if (converts_on_way(config, plan)) emit_scales(out, config, plan);
  each_tensor(out, plan, [&](Tensor tensor) { emit_load(out, config, plan, tensor); });
  out.line("commit_copies();");
  return out.take();
}

void emit_result(TextWriter& out, const ConvConfig& config, const ChunkBatches& batches, const Gradient& gradient,
                 std::string_view scale, const ChunkAccess& chunks) {
  out.open("{");
  out.line("uint4 value = result;");
  emit_stored_chunk(out, gradient.factor.empty() ? "" : batches.of_chunk(factors_name(gradient.factor)), scale);
  emit_meet_results(out, config, "gradients", existing(chunks, "value"), chunks.live);
  out.line(write_chunk(chunks, gradient.name));
  out.close();
}

// The gradients that come from a tensor's results.
void emit_results(TextWriter& out, const ConvConfig& config, const FourStepPlan& plan, const Results& results) {
  const RowAccess access = column_access(config, plan, results.tensor);
  const std::string record = record_of("at.channel", "gradients");
  if (reports(config)) emit_met_again(out, Met::samples, "gradients", record);
  open_row_parts(out, access);
  emit_leave_absent(out, access);
  std::vector<std::string_view> factors;
  for (const Gradient& gradient : results.gradients) {
    emit_row_pointer(out, access, gradient.name, "");
    if (gradient.factor.empty()) continue;
    emit_row_pointer(out, access, gradient.factor, "const ");
    factors.push_back(gradient.factor);
  }
  ChunkBatches batches = batches_of(out, plan, sample_rows(plan));
  batches.open();
  emit_factors(out, batches, factors, access.stored);
  batches.open_chunks(true);
  out.line(fmt::format("const uint4 result = load_shared({});", tile_chunk(access.stored)));
  for (const Gradient& gradient : results.gradients)
    emit_result(out, config, batches, gradient, results.scale, access.stored);
  out.close();
  batches.close();
  close_planes(out, access);
  if (reports(config)) emit_report_again(out, "gradients", record);
}

// A channel's taps, of which dd is the first. A lane has four, so that lines of fp32 leave whole.
void emit_taps(TextWriter& out, const ConvConfig& config, const FourStepPlan& plan) {
  out.line("const float to_taps = tap_scale(split, place);");
  out.line("const int half = thread % 2, chunk = thread / 2 % tile_chunks;");
  out.line("float* const dk = split.conv.dk + at.channel * split.conv.dk_channel_stride;");
  out.line(fmt::format("#pragma unroll {}", chunks_in_flight(plan)));
  out.open(fmt::format("for (int row = thread / (2 * tile_chunks); row < {}; row += copied_rows / 2) {{",
                       sample_rows(plan)));
  out.line("const int sample = row * row_length + first_column + 8 * chunk + 4 * half;");
  out.line("if (sample >= filter_length) break;");
  out.line("const uint2 samples = load_shared8(chunk_at(tile, 0, slot_of_sample(row), chunk) + 8 * half);");
  out.line("const float4 taps = {tap_of(low_half(samples.x), to_taps), tap_of(high_half(samples.x), to_taps),");
  out.line("                     tap_of(low_half(samples.y), to_taps), tap_of(high_half(samples.y), to_taps)};");
  out.line("put_taps(dk + sample, taps, filter_length - sample);");
  if (config.gradients.d) out.line("if (sample == 0) store_streamed(split.conv.dd + at.channel, taps.x);");
  out.close();
}

std::string store_block(const ConvConfig& config, const FourStepPlan& plan) {
  TextWriter out(1);
  std::vector<Results> all = results_of(config, plan, Turn::together);
  if (!all.empty()) out.line("const float scale = scale_of(arguments, at.channel);");
  emit_result_scales(out, config, plan, magnitude_of(plan));
  if (config.scaling == Scaling::found && !all.empty()) {
    out.line("const float result_scale = scale * scale_from_one(exponent);");
    for (Results& results : all) results.scale = "result_scale";
  }
  if (all.empty())
    out.line("(void)arguments, (void)at, (void)first_column, (void)tile, (void)thread;  // nothing is wanted");
  if (plan.backward.returns_sums) {
    each_tensor(out, plan, [&](Tensor tensor) {
      tensor == Tensor::input ? emit_taps(out, config, plan) : emit_results(out, config, plan, all.front());
    });
    return out.take();
  }
  if (all.size() == 1) emit_results(out, config, plan, all.front());
  if (all.size() > 1)
    each_tensor(out, plan,
                [&](Tensor tensor) { emit_results(out, config, plan, all[tensor == Tensor::input ? 0 : 1]); });
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
constexpr std::string_view row_with_sums = R"(
// With a channel's last row its sums come back in u's place.
__device__ __forceinline__ bool has_sums(const ConvArguments& arguments, const Pair& row) {
  return row.tensor == 0 && row.pair + 1 == pairs_of_channel(arguments);
}
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
  else if (work.returns_sums)
    out.line("turn.out.exists = turn.out.exists && (turn.out.tensor == 1 || has_sums(split.conv, turn.out));");
  else if (work.tensors() > 1 && work.returns_input() != work.inverts_gradient)
    out.line(fmt::format("turn.out.exists = turn.out.exists && turn.out.tensor == {};  // the other has done its part",
                         work.returns_input() ? 0 : 1));
  out.line("return turn;");
  return out.take();
}

}  // namespace

std::string tile_scales_of_gradients(const ConvConfig& config, const FourStepPlan& plan) {
  TextWriter out(1);
  emit_scales(out, config, plan);
  const std::string_view of_tile = scale_of_tile(config, plan);
  if (plan.backward.tensors() == 1 || of_tile.empty()) return out.take();
  const auto scale_of = [&](Tensor tensor) {
    const std::string_view scale = source_of(config, tensor).scale;
    return scale.empty() ? "1.0f" : scale;
  };
  out.line(fmt::format("const float {} = at.tensor == 0 ? {} : {};", of_tile, scale_of(Tensor::input),
                       scale_of(Tensor::gradient)));
  return out.take();
}

void put_gradient_columns(Blocks& blocks, const ConvConfig& config, const FourStepPlan& plan) {
  const BackwardWork& work = plan.backward;
  blocks["gradient_tensors"] = constant_line("int tensors", work.tensors(),
                                             work.tensors() > 1      ? "of a pair: u, dy"
                                             : work.transforms_input ? "of a pair: u"
                                                                     : "of a pair: dy");
  blocks["pair"] = plan.right_angle() ? std::optional<std::string>(row_alone) : as_it_stands;
  if (work.returns_sums) blocks["pair"].value() += row_with_sums;
  blocks["pair_of_rows"] = plan.right_angle() ? std::optional<std::string>(row_alone_found) : as_it_stands;
  blocks["samples_in"] = load_block(config, plan);
  blocks["gates_in"] = gates_in_block(config, plan);
  blocks["samples_out"] = store_block(config, plan);
  blocks["turn_at"] = turn_block(plan);
  blocks["lone_out"] = "";
  blocks["still_open"] = "  if (turn.place.round == 0) return;\n";
}

}  // namespace ffc
