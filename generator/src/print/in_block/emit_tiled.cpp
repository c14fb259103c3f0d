// Emission of the tiled family: a skeleton template whose blocks follow the plan's steps.
#include "emit_tiled.hpp"

#include <fmt/format.h>

#include "assemble.hpp"
#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "lower_tiled.hpp"
#include "mask_text.hpp"
#include "names.hpp"
#include "report_text.hpp"
#include "row_chain.hpp"
#include "row_source.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"
#include "tile_counts.hpp"
#include "tiled_chunks.hpp"
#include "tiled_copies.hpp"
#include "tiled_pieces.hpp"
#include "tiled_results.hpp"
#include "tiled_setup.hpp"
#include "tiled_shape.hpp"
#include "tiled_stages.hpp"
#include "tiled_tables.hpp"
#include "tiled_windows.hpp"

namespace ffc {

std::string tiled_constants(const ConvConfig& config, const InBlockPlan& plan, const SpectrumLayout& spectrum) {
  const Geometry& geometry = plan.geometry;
  std::string text;
  const auto constant = [&](std::string_view name, std::int64_t value, std::string_view comment = {}) {
    text += constant_line(fmt::format("int {}", name), value, comment);
  };
  if (plan.windows)
    text += window_constants(config, plan);
  else if (plan.real_filter())
    constant("length", plan.row_length(), "samples of a row that exist");
  constant("rows", plan.rows(), "of 256 samples, one per value of the outer digits");
  constant("slots", plan.slots(), "rows of shared memory, whole blocks of 8 where columns are contracted");
  constant("alignment", config.row_alignment, "bytes that every row starts at a multiple of");
  constant("group_warps", geometry.warps_per_group, "warps that share a pair");
  constant("groups", geometry.groups, "pairs under way at a time, each with its own barrier");
  if (!plan.in_cluster()) constant("buffers", geometry.buffers, "pairs of a group in shared memory");
  if (plan.real_filter()) constant("blocks_per_sm", geometry.blocks_per_sm);
  constant("factor_rows", plan.factor_rows(),
           plan.half_spectrum()  ? "of frequencies, and of twiddles and the spectrum"
           : plan.mirrors_rows() ? "whose twiddles and spectrum are kept: row -f takes those of row f"
                                 : "whose twiddles and spectrum are kept");
  constant("columns_per_warp", 32 / geometry.warps_per_group, "in chunks of 8 samples");
  if (plan.real_filter())
    constant("spectrum_row_bytes", spectrum.row_bytes(), "tiles, then 16 bytes that begin with the scale");
  if (plan.outer_tile > 1)
    constant("items_at_once", geometry.items_at_once, "of 16 columns that a warp keeps in flight");
  if (plan.outer_tile > 1 && sides(plan) == 1) {
    constant("rows_per_warp", plan.couples_per_warp());
    constant("tile_rows_at_once", geometry.couples_at_once, "that a warp keeps in flight");
  }
  if (adds_in_turns(plan)) {
    constant("cluster_blocks", blocks_in_turns, "that share a channel's rows and add to its sums in turns");
    constant("part_tiles", plan.couples_per_warp() / blocks_in_turns, "of a warp, in a turn");
  }
  if (plan.outer_tile > 1 && sides(plan) == 2) {
    constant("couples", plan.couples(), "of a row and its mirror -f");
    constant("couples_per_warp", plan.couples_per_warp());
    constant("couples_at_once", geometry.couples_at_once, "that a warp keeps in flight");
  }
  if (plan.outer_butterfly > 1)
    constant("butterflies", plan.outer_butterfly, "radix of the digit in the register index");
  const bool made = column_matrix(plan) == ColumnMatrix::made;
  if (made || plan.half_spectrum() || has_slots_between(plan))
    constant("tile_radix", plan.outer_tile, "of the digit that products down the columns contract");
  if (plan.most_wrapped > 0) {
    constant("ends_bytes", ends_bytes, "of what comes round of a row, in one of a group's two places");
    text += constant_line("float end_scale", fmt::format("{:.9g}f", outer_scale(plan)), "of the matrices of columns");
  }
  if (made)
    text += constant_line("float column_scale", fmt::format("{:.9g}f", column_scale(plan)), "of their matrices");
  if (plan.outer_tile > 1) constant("slot_stride", plan.slot_stride(), "slots per value of the butterfly digit");
  if (!plan.real_filter() && !plan.in_cluster())
    constant("rows_at_once", plan.rows_at_once(), "a row and its mirror, or one");
  if (!plan.real_filter()) constant("last_barrier", 15, "of all warps of the rows; their groups have 1 and on");
  return text + kept_rows_text(plan);
}

std::string tiled_shared_map(const ConvConfig& config, const InBlockPlan& plan) {
  std::string text = "// Byte offsets in shared memory behind the buffers.\n";
  const auto offset = [&](std::string_view name, int value) {
    text += fmt::format("constexpr int {} = {};\n", name, value);
  };
  if (gates_in_shared(config, plan)) offset("gate_offset", plan.shared.gate_offset);
  if (plan.geometry.staged_rows > 0) {
    offset("stage_offset", plan.shared.stage_offset);
    offset("stage_plane_bytes", plan.shared.stage_plane_bytes);
  }
  const bool tables = plan.geometry.twiddle == Placement::shared || plan.geometry.twiddle == Placement::steps;
  if (tables && plan.has_outer_twiddle())
    offset(plan.fractional_rows ? "row_factors_offset" : "outer_twiddle_offset", plan.shared.twiddle_offset);
  const bool spectrum = plan.geometry.spectrum == Placement::shared || plan.geometry.spectrum == Placement::staged;
  if (has_spectrum(plan) && spectrum) offset("spectrum_offset", plan.shared.spectrum_offset);
  if (shares_column_factors(plan)) offset("column_twiddle_offset", plan.shared.column_twiddle_offset);
  if (plan.shared.shifts_offset > 0) offset("shifts_offset", plan.shared.shifts_offset);
  if (plan.shared.ends_offset > 0) offset("ends_offset", plan.shared.ends_offset);
  if (plan.shared.sums_offset > 0) offset("sums_offset", plan.shared.sums_offset);
  if (plan.shared.magnitudes_offset > 0) offset("magnitudes_offset", plan.shared.magnitudes_offset);
  if (plan.shared.turns_offset > 0) offset("turns_offset", plan.shared.turns_offset);
  if (plan.shared.resident_couples > 0) offset("resident_couples", plan.shared.resident_couples);
  return text;
}

Substitutes tiled_substitutes(const ConvConfig& config, const InBlockPlan& plan) {
  Substitutes substitutes;
  if (plan.accumulation == Accumulation::fp32) substitutes["accumulator.cuh"] = "accumulator32.cuh";
  if (plan.fused_factors == 0) substitutes["contract16_fused.cuh"] = "";
  if (!plan.fractional_rows) substitutes["fractional_rows.cuh"] = "";
  if (plan.row_sums != RowSums::rounded) substitutes["halves_of_sums.cuh"] = "halves_in_accumulators.cuh";
  if (plan.row_sums == RowSums::wide) substitutes["halves_accumulator.cuh"] = "halves_accumulator32.cuh";
  if (plan.fractional_rows && right_angle_rows(plan)) substitutes["contract16.cuh"] = "";
  if (!half_results(plan)) substitutes["contract16_half.cuh"] = "";
  if (!half_columns(plan)) substitutes["contract_wide_half.cuh"] = "";
  if (dropped_tile_values(plan).empty()) substitutes["tiled_dropped_rows.cuh"] = "";
  if (plan.kept_inner.empty()) substitutes["contract16_kept_inner.cuh"] = "";
  if (plan.kept_last.empty()) substitutes["contract16_kept_last.cuh"] = "";
  if (plan.outer_tile <= 8 || !shares_column_factors(plan)) substitutes["tiled_column_matrices.cuh"] = "";
  if (!has_column_factors(plan) || shares_column_factors(plan)) substitutes["read_column_matrices.cuh"] = "";
  if (!plan.wide_columns) {
    substitutes["wide.cuh"] = "";
    substitutes["contract_wide.cuh"] = "";
  }
  if (plan.geometry.staged_rows != 1 || stages_all(plan)) substitutes["tiled_staged_rows.cuh"] = "";
  if (!plan.real_filter() && plan.geometry.twiddle != Placement::steps) substitutes["twiddle_steps.cuh"] = "";
  if (!plan.real_filter())
    substitutes[column_matrix(plan) == ColumnMatrix::made ? "split_shift.cuh" : "split_matrix.cuh"] = "";
  put_storage(substitutes, config);
  if (plan.real_filter()) put_report(substitutes, config);
  if (config.scaling != Scaling::found) substitutes["found_scales.cuh"] = "";
  if (!plan.mirrors_rows() || plan.half_spectrum()) substitutes["tiled_mirror_rows.cuh"] = "";
  substitutes["real_butterfly.cuh"] =
      plan.outer_butterfly == 1 ? "" : fmt::format("real_butterfly{}.cuh", plan.outer_butterfly);
  if (!plan.half_spectrum()) substitutes["real_row_columns.cuh"] = "";
  if (!has_slots_between(plan)) substitutes["slots_between.cuh"] = "";
  if (plan.outer_tile != 8) substitutes["contract8.cuh"] = "";
  if (plan.outer_tile != 8 && !half_results(plan)) substitutes["tiled_half_rows.cuh"] = "";
  if (!real_rows(plan)) substitutes["tiled_real_rows.cuh"] = "";
  if (!counts_from_first(plan)) substitutes["tiled_place_below.cuh"] = "";
  if (plan.real_filter() && plan.most_delay == 0) substitutes["delayed_chunks.cuh"] = "";
  if (plan.real_filter() && !stores_ends_apart(plan)) substitutes["row_ends.cuh"] = "";
  if (plan.most_wrapped == 0) substitutes["wrapped_ends.cuh"] = "";
  if (!fills_registers(plan)) substitutes["load_here.cuh"] = "";
  if (!plan.wide_columns) substitutes["contract_wide_real.cuh"] = "";
  substitutes["butterfly.cuh"] = plan.outer_butterfly == 1 ? "" : fmt::format("butterfly{}.cuh", plan.outer_butterfly);
  if (plan.outer_butterfly == 1 || plan.half_spectrum()) substitutes["butterfly_tiles.cuh"] = "";
  if (!half_butterfly(plan)) substitutes["butterfly_tiles_padded.cuh"] = "";
  if (!plan.geometry.walks_channels) substitutes["channel_walk.cuh"] = "";
  if (plan.real_filter()) leave_out_windows(substitutes, plan);
  return substitutes;
}

SpectrumLayout tiled_spectrum_layout(const ConvConfig& config, const InBlockPlan& plan) {
  SpectrumLayout layout;
  layout.order = tiled_spectrum_order(plan);
  layout.tile = halves_rows(plan) ? 4 : 256;
  layout.mask = config.mask;
  layout.gain = spectrum_gain(plan);
  layout.output_exponent = -config.input_exponent;
  layout.fp16_scale = config.dtype == DataType::fp16;
  // In quarters, those of k + 1/4: every fourth frequency of a transform four times as long.
  layout.right_angle = plan.right_angle();
  if (plan.right_angle())
    for (std::int32_t& frequency : layout.order) frequency = plan.frequency_parts() * frequency + 1;
  place_taps(layout, config, plan.frequency_parts() * plan.transform_length);
  return layout;
}

namespace {

// The first pair's rows are on their way when the first use is made of the spectrum.
std::string first_load(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(1);
  if (!plan.geometry.walks_channels) emit_spectrums_order(out, plan);
  return tiled_first_load(config, plan) + out.take();
}

std::string entry_block(const InBlockPlan& plan, const std::string& name) {
  const bool history = plan.windows && plan.windows->history;
  return kernel_entry("__launch_bounds__(block_threads, blocks_per_sm)", name,
                      history ? "StreamArguments stream" : "ConvArguments arguments") +
         (history ? "  const ConvArguments& arguments = stream.conv;\n" : "");
}

// Blocks that walk over channels: what each needs of the channel that its next pair is of.
constexpr std::string_view each_item =
    R"(  for (int item = group, buffer = 0; item < walk.items; item += groups, buffer = (buffer + 1) % buffers) {
    const auto [channel, pair] = next;
    const unsigned char* const spectrum_row =
        static_cast<const unsigned char*>(arguments.spectrum) + static_cast<long long>(channel) * spectrum_row_bytes;
    const float scale = load_constant(reinterpret_cast<const float*>(spectrum_row + spectrum_row_bytes - 16));
    const uint4* const spectrum_tiles = reinterpret_cast<const uint4*>(spectrum_row);
)";

std::string each_item_of(const ConvConfig& config, const InBlockPlan& plan) {
  TextWriter out(2);
  if (plan.spectrum_lacks_power) emit_spectrum_power(out);
  if (config.scaling != Scaling::given) return std::string(each_item) + out.take();
  emit_input_scale(out, config, "channel");
  emit_result_scale(out, config, "input", "channel");
  return std::string(each_item) + out.take();
}

void put_walk(Blocks& blocks, const ConvConfig& config, const InBlockPlan& plan) {
  const bool walks = plan.geometry.walks_channels;
  const auto put = [&](const char* name, std::string_view text) {
    blocks[name] = walks ? std::optional<std::string>(text) : as_it_stands;
  };
  put("own_channel", "");
  blocks["own_scale"] = walks ? "" : fmt::format("  {}\n\n", spectrum_scale(plan));
  put("slice", fmt::format("  const ChannelWalk walk = walk_channels(arguments.channels, pairs, {});\n",
                           plan.windows ? "windows" : "1"));
  put("each_pair", each_item_of(config, plan));
}

}  // namespace

std::string report_block(const ConvConfig& config, const InBlockPlan& plan) {
  if (!reports_behind_pairs(config, plan)) return "";
  TextWriter out(1);
  emit_report(out, samples_field(Tensor::input), "channel");
  emit_report(out, results_field(plan), "channel");
  return out.take();
}

std::string pairs_block(const InBlockPlan& plan) {
  if (plan.geometry.walks_channels)
    return fmt::format("  // Each {} is a pair by itself; a block's groups take turns.\n  const int pairs = {};\n",
                       plan.windows ? "window" : "row", plan.windows ? "arguments.batch * windows" : "arguments.batch");
  if (real_rows(plan))
    return "  // This block's slice of the batch, each row a pair by itself; its groups take turns.\n"
           "  const int pairs = arguments.batch;\n";
  if (plan.right_angle())
    return "  // This block's slice of all windows, each of which is a pair by itself; its groups take turns.\n"
           "  const int pairs = arguments.batch * windows;\n";
  return plan.windows ? "  // This block's slice of the pairs of windows; its groups take turns.\n"
                        "  const int pairs = window_pairs(arguments.batch);\n"
                      : "  // This block's slice of the batch, in pairs of rows; its groups take turns.\n"
                        "  const int pairs = (arguments.batch + 1) / 2;\n";
}

GeneratedKernel block_kernel(const ConvConfig& config, const InBlockPlan& plan, std::string_view skeleton,
                             const Blocks& blocks, const Substitutes& substitutes, const TiledTables& tables) {
  GeneratedKernel kernel;
  kernel.name = kernel_name(config, plan);
  kernel.options = {"--fmad=false"};
  kernel.source = assemble(skeleton, blocks, substitutes);
  kernel.tables = tables.words;
  kernel.threads = plan.geometry.threads();
  kernel.shared_bytes = plan.shared.total;
  if (adds_in_turns(plan)) kernel.cluster = blocks_in_turns;
  return kernel;
}

EmittedConv emit_tiled(const ConvConfig& config, const InBlockPlan& plan) {
  const TiledTables tables = make_tiled_tables(plan);
  EmittedConv result;
  result.spectrum = tiled_spectrum_layout(config, plan);

  const std::string name = kernel_name(config, plan);
  Blocks blocks = {
      {"header", header_comment(config, plan, name)}, {"constants", tiled_constants(config, plan, result.spectrum)},
      {"shared_map", tiled_shared_map(config, plan)}, {"entry", entry_block(plan, name)},
      {"setup", tiled_setup(config, plan, tables)},   {"load", tiled_load(config, plan)},
      {"first_load", first_load(config, plan)},       {"stages", tiled_stages(config, plan, lower_tiled(config, plan))},
      {"store", tiled_store(config, plan)},           {"pairs", pairs_block(plan)},
      {"report", report_block(config, plan)},
  };
  put_walk(blocks, config, plan);
  result.kernel = block_kernel(config, plan, "tiled_conv.cu.in", blocks, tiled_substitutes(config, plan), tables);
  return result;
}

namespace {

// A fence waits for what was written just before it, and the group for the warp that waits.
constexpr std::string_view count_done_behind =
    R"(  // The row that is done but not counted: once the next one is through a stage, what was written has arrived, and nobody
  // waits for it.
  Rows done = {};
  const auto count_done = [&] {
    if (thread == 0 && done.counts_for > 0) add_to_count(rows_done(split, done.place), done.counts_for);
    done.counts_for = 0;
  };
)";
constexpr std::string_view count_behind =
    R"(    done = mine;
    if (!ahead) count_done();
)";

void put_count(Blocks& blocks, const InBlockPlan& plan) {
  const bool behind = counts_behind(plan);
  blocks["count_done"] = std::string(behind ? count_done_behind : "");
  blocks["count"] = behind ? std::optional<std::string>(count_behind) : as_it_stands;
}

}  // namespace

EmittedHalf emit_inner_rows(const ConvConfig& config, const InBlockPlan& plan,
                            const std::vector<Statement>& statements) {
  const TiledTables tables = make_tiled_tables(plan);
  EmittedHalf result;
  result.blocks = {
      {"row_constants", tiled_constants(config, plan, {})},
      {"shared_map", tiled_shared_map(config, plan)},
      {"setup", tiled_setup(config, plan, tables)},
      {"frequency", tiled_frequency(plan)},
  };
  // Gradients have stages of their own.
  if (!plan.is_backward()) result.blocks["stages"] = tiled_stages(config, plan, statements);
  if (!plan.in_cluster()) {
    put_count(result.blocks, plan);
    result.blocks["load"] = tiled_load(config, plan);
    result.blocks["store"] = tiled_store(config, plan);
  }
  result.substitutes = tiled_substitutes(config, plan);
  result.tables = tables.words;
  result.gain = tiled_gain(plan);
  return result;
}

}  // namespace ffc
