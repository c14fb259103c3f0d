// The kernel of a split plan, and what a launch of it needs.
#include "generate_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assemble.hpp"
#include "choices.hpp"
#include "emit_columns.hpp"
#include "emit_long_filter.hpp"
#include "emit_long_filter_gradient.hpp"
#include "emit_residue_filter.hpp"
#include "emit_tiled.hpp"
#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "lower_inner_rows.hpp"
#include "names.hpp"
#include "report_text.hpp"
#include "row_source.hpp"
#include "spectrum_layout.hpp"
#include "split_gradient_rows.hpp"
#include "split_shape.hpp"
#include "split_workspace.hpp"
#include "statement.hpp"
#include "text.hpp"
#include "tile_powers.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_shape.hpp"
#include "tiled_tables.hpp"

namespace ffc {
namespace {

// What the columns leave, in the steps that registers are given out in.
int row_registers(const FourStepPlan& plan) {
  if (plan.columns.registers == 0) return 0;
  constexpr int registers_per_sm = 65536, step = 8, most = 232;
  // A block begins with as many for each thread, and shares out those.
  const int threads = split_threads(plan), of_block = registers_per_sm / threads / step * step * threads;
  const int left = of_block - plan.columns.registers * plan.columns.threads();
  return std::min(most, left / plan.row_plan.geometry.threads() / step * step);
}

// Of a row of the spectrum, without what a mask drops.
std::int64_t row_elements(const FourStepPlan& plan) {
  return static_cast<std::int64_t>(tiled_spectrum_order(plan.row_plan).size());
}

// Sums in shared memory stand behind all that rows have there.
std::string sums_constants(const ConvConfig& config, const FourStepPlan& plan, const TileWords& words) {
  return constant_line("int held_rows", held_sums(config, plan), "of a block's frequencies: sums in shared memory") +
         constant_line("int held_sums_offset", plan.row_plan.shared.total + words.of_rows,
                       "of those, a row for each group");
}

// Frequencies are a times those of the samples, where gain = 1 / (P a^2): products of two that have all their energy in
// one frequency come to P times those of rows that are flat there.
std::string product_constants(const ConvConfig& config, const FourStepPlan& plan, double gain) {
  constexpr int largest = 15, unit = 12;  // of fp16, and of squares
  const double of_taps = std::ldexp(gain * std::sqrt(gain * static_cast<double>(plan.transform_length)),
                                    -config.input_exponent - config.gradient_exponent);
  return constant_line("int filter_length", config.filter_length, "taps") +
         constant_line("int most_products_exponent", largest + unit + static_cast<int>(std::floor(std::log2(gain))),
                       "of products of frequencies, less those of both rows' norms") +
         constant_line("float taps_gain", float_literal(of_taps), "of taps over samples of such products");
}

std::string constants_of(const ConvConfig& config, const FourStepPlan& plan, const SplitLaunch& launch, double gain,
                         std::int64_t kept_table) {
  std::string text;
  const auto constant = [&](std::string_view name, std::int64_t value, std::string_view comment = {}) {
    text += constant_line(fmt::format("int {}", name), value, comment);
  };
  const int parts = plan.frequency_parts();
  constant("transform_length", parts * plan.transform_length,
           plan.right_angle() ? "in quarters of a frequency" : std::string_view());
  constant("column_length", launch.column_length, "samples of a column, row_length apart");
  constant("frequency_step", parts * launch.column_length, "between the frequencies of a row");
  constant("row_length", launch.row_length);
  constant("plane_length", launch.pair_bytes() / 4, "of a place in the workspace: real or imaginary parts");
  constant("spectrum_rows", launch.spectrum_rows,
           plan.right_angle() ? "of a channel" : "of a channel; the others are their mirrors");
  text +=
      constant_line("long long spectrum_channel_bytes", split_spectrum_bytes(launch.spectrum_rows, row_elements(plan)),
                    "the last 16 begin with the scale");
  constant("column_threads", plan.columns.threads(), "of a block: the first");
  constant("threads", split_threads(plan), "of a block: the others work on rows");
  const TileWords words = tile_words(plan, plan.row_plan.takes_tile_powers);
  constant("unit_bytes", plan.columns.unit_bytes() + words.of_unit, "shared memory of a unit of columns");
  constant("column_registers", plan.columns.registers, "of a thread; 0: all have as many");
  constant("row_registers", row_registers(plan));
  constant("rows_offset", plan.columns.shared_bytes() + plan.columns.units * words.of_unit,
           "where that of the rows begins");
  if (words.of_unit > 0)
    constant("unit_words_offset", plan.columns.unit_bytes(), "of what a unit finds of its tiles, behind these");
  if (words.of_rows > 0)
    constant("row_words_offset", plan.row_plan.shared.total, "of what rows want of that, behind theirs");
  if (words.of_rows > 0)
    constant("exponents_bytes", exponents_bytes(plan.row_plan), "of the tiles that a warp's columns come from");
  if (plan.backward.sums) text += sums_constants(config, plan, words);
  if (plan.backward.returns_sums) text += product_constants(config, plan, gain);
  return text + workspace_constants(plan, kept_table, row_elements(plan));
}

std::string entry_of(const std::string& name) {
  return kernel_entry("__launch_bounds__(threads, 1)", name, "SplitArguments split");
}

// Of arguments with a report.
std::string split_size_line(const FourStepPlan& plan) {
  return fmt::format("static_assert(sizeof(SplitArguments) == {0}, \"the host passes {0} bytes\");\n",
                     plan.is_backward() ? sizeof(ReportingSplitGradientArguments) : sizeof(ReportingSplitArguments));
}

// Tiles of columns, their exponents, and how far it is from place to place.
std::string progress_text(const SplitLaunch& launch, const FourStepPlan& plan) {
  return constant_line("int tiles_of_place", columns_of_place(plan) / plan.columns.columns(), "of columns") +
         constant_line("int exponents_of_place", exponents_of_place(plan), "bytes, some of tiles that do not exist") +
         constant_line("int progress_stride", launch.progress_bytes / 4, "words between places of the ring");
}

SplitLaunch launch_of(const ConvConfig& config, const FourStepPlan& plan) {
  SplitLaunch launch;
  constexpr int line = 128;
  const int words = tile_words(plan, plan.row_plan.takes_tile_powers).place;
  launch.progress_bytes += (words + line - 1) / line * line;
  launch.column_length = plan.columns.length();
  launch.row_length = plan.row_plan.transform_length;
  launch.spectrum_rows = static_cast<int>(spectrum_columns(plan).size());
  launch.place_rows = place_rows(plan);
  launch.packing = plan.packing;
  const double column_tiles = static_cast<double>(columns_of_place(plan)) / plan.columns.columns();
  const Geometry& rows = plan.row_plan.geometry;
  // Gates take columns longer, and so places; as do columns of two products.
  const bool short_columns = plan.columns.products == 1 && config.gating == Gating::none;
  launch.least_ring = !are_alone(plan.packing) || (plan.right_angle() && short_columns) ? 2 : 3;
  launch.busy_places = plan.columns.units / column_tiles + 1.0 * rows.groups * rows.buffers / launch.place_rows;
  return launch;
}

GeneratedKernel joined(const ConvConfig& config, const FourStepPlan& plan, const SplitLaunch& launch, EmittedHalf rows,
                       EmittedHalf columns) {
  GeneratedKernel kernel;
  kernel.name = kernel_name(config, plan);
  kernel.options = {"--fmad=false"};
  kernel.threads = split_threads(plan);
  const TileWords words = tile_words(plan, plan.row_plan.takes_tile_powers);
  kernel.shared_bytes = kernel_shared_bytes(config, plan);
  const auto kept_table = static_cast<std::int64_t>(rows.tables.size() + columns.tables.size());
  Blocks blocks = {{"header", header_comment(config, plan, kernel.name)},
                   {"constants", constants_of(config, plan, launch, rows.gain * columns.gain, kept_table)},
                   {"entry", entry_of(kernel.name)}};
  put_workspace(blocks, plan, row_elements(plan));
  blocks["split_size"] = reports(config) ? std::optional<std::string>(split_size_line(plan)) : as_it_stands;
  blocks["progress_stride"] = words.place > 0 ? std::optional<std::string>(progress_text(launch, plan)) : as_it_stands;
  if (!plan.is_backward())
    blocks["rows_of_place"] = constant_line("int rows_of_place", packed_rows(plan.packing), "of the ring: batch rows");
  // Rows of gradients are found and walked over in a way of their own.
  if (plan.is_backward())
    for (const char* block : {"row_offset", "spectrum_row"}) blocks.erase(block);
  else if (plan.row_plan.spectrum_lacks_power)
    blocks["spectrum_power"] = "        const Packed spectrum_power = power_of(split.conv, channel);\n";
  else
    blocks["spectrum_power"] = as_it_stands;
  blocks.merge(columns.blocks);
  blocks.merge(rows.blocks);
  Substitutes substitutes = std::move(rows.substitutes);
  substitutes.merge(columns.substitutes);
  put_storage(substitutes, config);
  put_report(substitutes, config);
  if (!reports(config) || !plan.backward.sums) substitutes["met_sums.cuh"] = "";
  if (!plan.backward.returns_sums) substitutes["norms.cuh"] = substitutes["returned_taps.cuh"] = "";
  if (plan.row_plan.takes_tile_powers) {
    substitutes.erase("found_scales.cuh");
    if (!has_columns(plan.row_plan)) substitutes["powers_of_columns.cuh"] = "powers_of_warp_rows.cuh";
  } else {
    substitutes["powers_of_columns.cuh"] = "";
  }
  // With found powers rows have their products' scale from what comes with them.
  if (!plan.row_plan.scales_row_sums || config.scaling != Scaling::given) substitutes["undone_scales.cuh"] = "";
  if (plan.is_backward()) {
    substitutes["split_arguments.cuh"] = "split_gradient_arguments.cuh";
    substitutes["split_rows.cuh"] = "split_gradient_rows.cuh";
    if (plan.backward.sums && plan.transform_length > measured::longest_cached_sums)
      substitutes["add_to_sums.cuh"] = "add_to_long_sums.cuh";
  }
  if (plan.row_plan.geometry.frequencies > 1) substitutes["row_walk.cuh"] = "row_walk_of_shares.cuh";
  if (are_alone(plan.packing)) substitutes["split_lone_rows.cuh"] = "";
  if (are_alone(plan.packing)) {
    substitutes["split_row_pairs.cuh"] = plan.right_angle() ? "split_row_quarters.cuh" : "split_row_singles.cuh";
    substitutes["columns_apart.cuh"] = "column_tile.cuh";
  }
  // Rows without a butterfly do without it, columns with one do not.
  if (plan.columns.butterfly > 1) substitutes.erase("butterfly_tiles.cuh");
  kernel.source = assemble("split_conv.cu.in", blocks, substitutes);
  kernel.tables = std::move(rows.tables);
  kernel.tables.insert(kernel.tables.end(), columns.tables.begin(), columns.tables.end());
  const std::vector<std::uint32_t> places = workspace_table(plan);
  kernel.tables.insert(kernel.tables.end(), places.begin(), places.end());
  return kernel;
}

}  // namespace

// At a right angle the transform's frequencies are every fourth of one four
// times as long, from the first on.
SpectrumLayout row_layout(const ConvConfig& config, const ColumnsAndRowsPlan& plan, const std::vector<int>& kept,
                          double gain) {
  SpectrumLayout layout;
  layout.order = tiled_spectrum_order(plan.row_plan);
  layout.tile = halves_rows(plan.row_plan) ? 4 : 256;
  layout.mask = config.mask;
  layout.rows = kept;
  layout.gain = gain;
  layout.output_exponent = -config.input_exponent;
  layout.fp16_scale = config.dtype == DataType::fp16;
  if (plan.right_angle()) {
    layout.right_angle = true;
    for (int row = 0; row < plan.row_count(); ++row) layout.rows.push_back(plan.frequency_parts() * row + 1);
  }
  place_taps(layout, config, plan.frequency_parts() * plan.transform_length);
  return layout;
}

void put_split_filter(Generated& result, const ColumnsAndRowsPlan& plan, const SpectrumLayout& layout) {
  const std::int64_t length = plan.frequency_parts() * plan.transform_length;
  const int columns = plan.frequency_parts() * plan.row_count();
  if (const auto blocks = residue_blocks(layout, length, columns, result.config.arch))
    put_residue_filter(result, layout, length, columns, *blocks, result.config.arch);
  else
    put_long_filter(result, layout, length, columns, result.config.arch);
  result.transform_length = plan.transform_length;
  result.spectrum_tag = spectrum_tag(result.filter);
}

bool split_spectrum_lacks_power(const ConvConfig& config, const ColumnsAndRowsPlan& plan,
                                const std::vector<int>& kept) {
  const int parts = plan.frequency_parts();
  return spectrum_lacks_power(row_layout(config, plan, kept, 1), parts * plan.transform_length,
                              parts * plan.row_count(), config.arch);
}

// Of gradients by row it was measured not to matter.
static bool spectrum_leaves_cache(const FourStepPlan& plan) {
  const auto rows = static_cast<std::int64_t>(spectrum_columns(plan).size());
  return !plan.is_backward() && 4 * rows * plan.row_plan.transform_length > measured::largest_cached_spectrum;
}

Generated generate_split(const ConvConfig& config, FourStepPlan plan) {
  const std::vector<int> kept = plan.kept_columns.empty() ? std::vector<int>() : spectrum_columns(plan);
  plan.row_plan.spectrum_lacks_power = split_spectrum_lacks_power(config, plan, kept);
  plan.row_plan.spectrum_leaves_cache = spectrum_leaves_cache(plan);
  plan.row_plan.scales_row_sums = config.scaling != Scaling::fixed && plan.backward.sums;
  plan.row_plan.takes_tile_powers = config.scaling == Scaling::found;
  const ConvConfig row = row_config(config, plan);
  const std::vector<Statement> of_row = lower_inner_row(config, plan, workspace_rows(plan));
  const EmittedHalf rows =
      plan.is_backward() ? emit_gradient_rows(row, plan.row_plan, of_row) : emit_inner_rows(row, plan.row_plan, of_row);
  const auto of_columns = [&] { return emit_columns(config, plan, static_cast<std::int64_t>(rows.tables.size())); };
  const EmittedHalf columns = of_columns();
  Generated result;
  result.config = config;
  result.name = kernel_name(config, plan);
  result.packing = plan.packing;
  result.split = launch_of(config, plan);
  result.conv = joined(config, plan, *result.split, rows, columns);
  const SpectrumLayout layout = row_layout(config, plan, kept, rows.gain * columns.gain);
  put_split_filter(result, plan, layout);
  if (plan.is_backward()) {
    result.backward = split_backward_launch(config, plan, layout);
    result.groups_per_block = plan.row_plan.geometry.groups;
  }
  if (plan.most_delay > 0) {
    plan.offsets = Offsets::apart;
    put_apart(result, joined(config, plan, *result.split, rows, of_columns()));
  }
  return result;
}

}  // namespace ffc
