// Emission of gradients (tiled family): a skeleton template whose blocks follow the plan's steps.
#include "emit_backward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "assemble.hpp"
#include "backward_copies.hpp"
#include "backward_loads.hpp"
#include "backward_stages.hpp"
#include "block_taps.hpp"
#include "choices.hpp"
#include "emit_filter_gradient.hpp"
#include "emitted.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_sums.hpp"
#include "names.hpp"
#include "report_text.hpp"
#include "row_source.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"
#include "tiled_common.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_pieces.hpp"
#include "tiled_setup.hpp"
#include "tiled_shape.hpp"
#include "tiled_tables.hpp"
#include "waves.hpp"

namespace ffc {
namespace {

static_assert(sizeof(GradientArguments) == 272, "gradient_arguments.cuh declares 272 bytes");

constexpr int tile_bytes = 1024;

std::string entry_block(const InBlockPlan& plan, const std::string& name) {
  return kernel_entry(adds_in_turns(plan) ? "__cluster_dims__(cluster_blocks, 1, 1) __launch_bounds__(block_threads, 1)"
                                          : "__launch_bounds__(block_threads, blocks_per_sm)",
                      name, "GradientArguments arguments");
}

std::string constants_of(const ConvConfig& config, const InBlockPlan& plan, const SpectrumLayout& spectrum) {
  std::string text = tiled_constants(config, plan, spectrum) +
                     constant_line("int tensors", plan.resident_tensors(), "of a pair in shared memory at a time");
  if (has_spectrum(plan) && plan.spectrum_of_fractional)
    text += constant_line("float spectrum_factor", float_literal(tiled_gain(plan) / spectrum.gain),
                          "of results: the spectrum is scaled for the convolution");
  return text + block_taps_constants(config, plan);
}

// Of the filter: its spectrum and scale.
std::string spectrum_setup(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(1);
  if (!has_spectrum(plan)) return {};
  out.line("const unsigned char* const spectrum_row =");
  out.line(
      "    static_cast<const unsigned char*>(arguments.spectrum) + static_cast<long long>(channel) * "
      "spectrum_row_bytes;");
  out.line(spectrum_scale(plan));
  emit_result_scales(out, config, plan, "channel");
  return out.take();
}

void emit_parked(TextWriter& out, const InBlockPlan& plan) {
  if (!plan.geometry.in_turn || !plan.backward.sums) return;
  out.line("// Where u's frequencies wait, tile by tile.");
  out.line("uint4* const parked = static_cast<uint4*>(arguments.parked) +");
  out.line(fmt::format("    (static_cast<long long>({}) * gridDim.y + blockIdx.y) * (rows * tile_bytes / 16);",
                       adds_in_turns(plan) ? "blockIdx.x" : "channel"));
}

Substitutes substitutes_of(const ConvConfig& config, const InBlockPlan& plan) {
  Substitutes substitutes = tiled_substitutes(config, plan);
  if (config.dtype == DataType::bf16) substitutes["storage_fp16_wide.cuh"] = "storage_bf16.cuh";
  if (!plan.backward.sums) substitutes["sums.cuh"] = "";
  if (!plan.backward.ends_in_taps) substitutes["block_taps.cuh"] = "";
  if (!plan.backward.ends_in_taps || config.scaling != Scaling::given) substitutes["undone_scales.cuh"] = "";
  if (!adds_in_turns(plan)) substitutes["sums_in_turns.cuh"] = "";
  const bool joins =
      plan.backward.sums && has_columns(plan) && (plan.geometry.sums == Placement::global || adds_in_turns(plan));
  if (!joins) substitutes["joined_sums.cuh"] = "";
  if (!plan.backward.sums || !reports(config)) substitutes["met_sums.cuh"] = "";
  if (!scales_products(config, plan)) substitutes["scaled_sums.cuh"] = "";
  if (!has_sums_unit(config, plan)) substitutes["sums_unit.cuh"] = "";
  if (!plan.spectrum_of_fractional || !has_spectrum(plan)) substitutes["spectrum_of_fours.cuh"] = "";
  if (!keeps_rows(config, plan)) substitutes["kept_chunk.cuh"] = "";
  if (!keeps_rows(config, plan) || plan.most_delay == 0) substitutes["delayed_kept_chunk.cuh"] = "";
  if (!plan.geometry.in_turn) substitutes["parked_tiles.cuh"] = "";
  if (!overlaps_gradients(plan, find_arch(config.arch))) substitutes["next_launch.cuh"] = "";
  const bool parks = !has_columns(plan) && plan.backward.tensors() > 1;
  if (!puts_spectrum_in_order(plan) && !parks) substitutes["stored_tile.cuh"] = "";
  if (!plan.windows || !plan.backward.looks_ahead()) substitutes["windows_ahead.cuh"] = "";
  if (!plan.windows || plan.windows->gap == 0) substitutes["windows_gap.cuh"] = "";
  return substitutes;
}

// `text` one block further in.
std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty() && !line.starts_with('#')) result += "  ";
    result.append(line).push_back('\n');
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return result;
}

std::string next_launch(const ConvConfig& config, const InBlockPlan& plan) {
  if (!overlaps_gradients(plan, find_arch(config.arch))) return {};
  return "  // The filter's gradient may get ready: it waits for the sums of all blocks.\n"
         "  let_next_launch_begin();\n";
}

// What blocks that share channels have in common for all of them.
constexpr std::string_view turns_setup =
    R"(  // The blocks of a cluster share the rows of one channel after the other, a row each in a round. Where rows are so
  // few that this takes longer, each block has channels of its own.
  const int rank = cluster_rank(), slice_rows = end_pair - first_pair;
  const int slice_rounds = (slice_rows + cluster_blocks - 1) / cluster_blocks;
  const bool together = slice_rows > {} * slice_rounds;
  const int member = together ? rank : 0, members = together ? cluster_blocks : 1;
  SumTurns turns{{shared + sums_offset + warp * cluster_blocks * sums_bytes,
                 shared + turns_offset, lane, warp, member, members}};
  turns.make_barriers();

)";

constexpr std::string_view first_load_in_turns =
    R"(  // Clusters walk over the channels, or blocks do.
  const int own_channel = together ? blockIdx.x / cluster_blocks : blockIdx.x;
  const int next_channel = together ? gridDim.x / cluster_blocks : gridDim.x;
  if (own_channel < arguments.channels && first_pair + member < end_pair)
    load_u(own_channel, first_pair + member, 0);
  for (int channel = own_channel; channel < arguments.channels; channel += next_channel) {
)";

constexpr std::string_view rows_in_turns =
    R"(    for (int first_of_round = first_pair; first_of_round < end_pair; first_of_round += members) {
      const int pair = first_of_round + member;
      if (pair >= end_pair) {
        turns.skip_round();
        continue;
      }
      turns.begin_row(pair + members >= end_pair);
      const SharedAddress rows_at = shared;
)";

// A block has one channel.
void put_own_channel(Blocks& blocks, const ConvConfig& config, const InBlockPlan& plan, const TiledTables& tables) {
  blocks["channel"] = blocks["pair"] = blocks["end"] = std::nullopt;
  TextWriter setup(1);
  if (plan.backward.transforms_gradient) emit_row_scale(setup, config, "gradient", "channel", "gradient_scale");
  emit_parked(setup, plan);
  emit_sums_setup(setup, config, plan);
  blocks["setup"] = spectrum_setup(config, plan) + tiled_setup(config, plan, tables) + setup.take();
  blocks["first_load"] = backward_first_load(config, plan);
  blocks["stages"] = backward_stages(config, plan);
  blocks["store"] = backward_store(config, plan);
  const std::string next = next_launch(config, plan);
  blocks["sums"] = next + (next.empty() ? "" : "\n") + backward_sums(config, plan, block_taps(config, plan));
}

// The blocks of a cluster do in a loop over channels what others do for their one.
void put_shared_channels(Blocks& blocks, const ConvConfig& config, const InBlockPlan& plan, const TiledTables& tables) {
  TextWriter parked(1), of_channel(1);
  emit_parked(parked, plan);
  emit_channel_setup(of_channel, config, plan);
  if (!scales_in_load(plan)) emit_row_scale(of_channel, config, "gradient", "channel", "gradient_scale");
  emit_sums_setup(of_channel, config, plan);
  blocks["channel"] = "";
  blocks["setup"] = fmt::format(turns_setup, measured::rows_in_time_of_round) + tiled_setup(config, plan, tables) +
                    parked.take() + "\n";
  blocks["first_load"] =
      std::string(first_load_in_turns) + indented(spectrum_setup(config, plan) + of_channel.take()) + "\n";
  blocks["pair"] = rows_in_turns;
  blocks["stages"] = indented(backward_stages(config, plan));
  blocks["store"] = indented(backward_store(config, plan));
  blocks["end"] = "    }\n";
  blocks["sums"] =
      indented(backward_sums(config, plan, {})) + "  }\n  turns.end_channels();\n" + next_launch(config, plan);
}

}  // namespace

EmittedConv emit_backward(const ConvConfig& config, const InBlockPlan& plan) {
  const TiledTables tables = make_tiled_tables(plan);
  EmittedConv result;
  result.spectrum = tiled_spectrum_layout(config, plan);
  const std::string name = kernel_name(config, plan);
  Blocks blocks = {
      {"header", header_comment(config, plan, name)},
      {"constants", constants_of(config, plan, result.spectrum)},
      {"shared_map", tiled_shared_map(config, plan)},
      {"entry", entry_block(plan, name)},
      {"pairs", pairs_block(plan)},
      {"load", backward_load(config, plan)},
  };
  (adds_in_turns(plan) ? put_shared_channels : put_own_channel)(blocks, config, plan, tables);
  result.kernel = block_kernel(config, plan, "tiled_backward.cu.in", blocks, substitutes_of(config, plan), tables);
  return result;
}

namespace {

int pairs_of_group(const InBlockPlan& plan) {
  if (!has_columns(plan))
    return plan.rows() <= 2 ? measured::gradient_pairs_of_short_rows : measured::gradient_pairs_of_warp;
  if (adds_in_turns(plan)) return measured::gradient_rows_of_cluster;
  return plan.rows() > 64 ? measured::gradient_pairs_of_longest : measured::gradient_pairs_of_columns;
}

}  // namespace

BackwardLaunch backward_launch(const ConvConfig& config, const InBlockPlan& plan, const SpectrumLayout& layout) {
  BackwardLaunch launch;
  launch.windows = plan.windows;
  launch.packing = plan.packing;
  launch.least_pairs = pairs_of_group(plan) * plan.geometry.groups;
  if (!plan.backward.sums) return launch;
  launch.pairs_at_once = adds_in_turns(plan) ? blocks_in_turns : plan.geometry.groups;
  launch.resident_slices =
      adds_in_turns(plan) ? measured::usual_clusters : measured::usual_blocks * plan.geometry.blocks_per_sm;
  if (plan.geometry.in_turn) launch.parked_bytes = std::int64_t{plan.rows()} * tile_bytes;
  launch.sums_bytes = std::int64_t{plan.factor_rows()} * sums_tile_bytes;
  launch.ends_in_taps = plan.backward.ends_in_taps;
  if (!holds_sums(plan)) launch.sums_bytes_of_taps = launch.sums_bytes;
  SpectrumLayout of_sums = layout;
  of_sums.gain = tiled_gain(plan);
  put_filter_gradient(launch, of_sums, config, plan);
  return launch;
}

}  // namespace ffc
