// Filters' gradients in steps: float32 sums of rows of frequencies to taps, one launch for each step.
#include "emit_long_filter_gradient.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "assemble.hpp"
#include "block_transform.hpp"
#include "choices.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "filter_gradient_text.hpp"
#include "filters.hpp"
#include "mask_text.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

static_assert(sizeof(SplitGradientArguments) == 304, "split_gradient_arguments.cuh declares 304 bytes");
static_assert(sizeof(LongFilterGradientArguments) == 88, "filter_gradient_long_arguments.cuh declares 88");

// Of what the sums are the frequencies: a real row's, of a transform of half as many points, or a row's alone at
// frequencies k + 1/4, which is one of as many points as frequencies.
struct SumsShape {
  std::int64_t length;  // of the transform, in quarters of a frequency where rows are alone
  std::int64_t points;
  int rows;           // of frequencies
  int column_length;  // between the frequencies of a row
  int tiles;          // of 256 frequencies, of a row
};

SumsShape sums_shape(const Transform& plan, int columns, int tiles) {
  if (plan.right_angle())
    return {plan.frequency_parts() * plan.transform_length, plan.transform_length, columns, columns, tiles};
  return {plan.transform_length, plan.transform_length / 2, columns / 2 + 1, columns, tiles};
}

// Pairs of a slice: few where a frequency has many groups of rows, which only many channels or slices keep at work.
int least_pairs(std::int64_t transform_length) {
  constexpr std::int64_t pairs = 8, up_to = 65536;
  return static_cast<int>(pairs * std::max<std::int64_t>(1, transform_length / up_to));
}

// How blocks share the transform.
struct InverseTransform {
  ColumnsAndRows shape;
  int rows_at_once = 1;
  std::vector<int> column_radices, row_radices;
  std::int64_t numbers = 0;  // that a block holds at most
  bool of_tiles = false;     // rows first, from sums; else sums, columns and rows
};

// Rows next to each other make neighbouring taps: as many as leave columns wide enough.
InverseTransform transform_of_points(std::int64_t points, const Arch& arch) {
  const std::int64_t most = arch.shared_per_block / 8;
  InverseTransform best;
  const auto width = [](const ColumnsAndRows& shape, int lines) { return std::min(shape.at_once, lines); };
  for (std::int64_t numbers = measured::usual_numbers;
       numbers <= most && width(best.shape, best.rows_at_once) < measured::narrow_of_gradients; numbers *= 2)
    for (const int lines : {8, 4, 2, 1}) {
      const auto shape = columns_and_rows(points, lines, lines, {.most = numbers});
      if (!shape || shape->columns % lines != 0) continue;
      if (best.numbers > 0 && width(*shape, lines) <= width(best.shape, best.rows_at_once)) continue;
      best = {*shape, lines, transform_radices(shape->columns), transform_radices(shape->rows),
              std::max(std::int64_t{shape->columns} * shape->at_once, std::int64_t{lines} * shape->rows)};
    }
  if (best.numbers == 0)
    throw std::logic_error(fmt::format("a transform of {} points has no columns and rows that a block holds", points));
  return best;
}

// Rows of a transform that hold whole tiles of sums come from there, and columns behind them make taps: of rows alone,
// where columns are a multiple of the plan's. Nothing where they cannot.
std::optional<InverseTransform> transform_of_tiles(const SumsShape& sums, const Arch& arch) {
  InverseTransform transform;
  transform.shape = wide_columns_and_rows(sums.points, 1, sums.column_length, arch.shared_per_block / 8 - 64);
  const int columns = transform.shape.columns;
  if (columns % sums.column_length != 0 || sums.tiles % (columns / sums.column_length) != 0) return std::nullopt;
  transform.numbers = std::max(transform.shape.columns * transform.shape.at_once, transform.shape.rows);
  transform.rows_at_once = rows_at_once(transform.shape, static_cast<int>(transform.numbers));
  transform.column_radices = transform_radices(transform.shape.columns);
  transform.row_radices = transform_radices(transform.shape.rows);
  transform.of_tiles = true;
  return transform;
}

InverseTransform transform_of(const Transform& plan, const SumsShape& sums, const Arch& arch) {
  if (plan.right_angle())
    if (auto transform = transform_of_tiles(sums, arch)) return *std::move(transform);
  return transform_of_points(sums.points, arch);
}

// Whether a tap may have a second place, at the end of the transformed row.
bool has_tail(const SpectrumLayout& layout, std::int64_t length) { return layout.tail_start < length; }

std::string constants_block(const ConvConfig& config, const Transform& plan, const SumsShape& shape,
                            const SpectrumLayout& layout, const InverseTransform& transform, int threads) {
  std::string text;
  const auto constant = [&](std::string_view declared, const auto& value, std::string_view comment = {}) {
    text += constant_line(declared, value, comment);
  };
  constant("int length", shape.length, plan.right_angle() ? "in quarters of a frequency" : "of the transform");
  constant("int points", shape.points, "complex");
  constant("int sums_rows", shape.rows, "of frequencies that are column_length apart");
  constant("int threads", threads);
  constant("int blocks_per_sm", transform_blocks(threads), "at least");
  constant("int column_length", shape.column_length, "between the frequencies of a row");
  constant("int rows", shape.tiles, "tiles of 256 frequencies, of a row, by their outer part");
  constant("int column_points", transform.shape.columns, "of the transform back, row_points apart");
  constant("int row_points", transform.shape.rows);
  constant("int columns_at_once", transform.shape.at_once, "of a block, next to each other");
  constant("int rows_at_once", transform.rows_at_once, "of a block, next to each other");
  if (transform.of_tiles) {
    constant("int last_row_radix", transform.row_radices.back());
    constant("int array_bytes", transform_bytes(transform.numbers), "of shared memory; behind them the row's roots");
  } else {
    constant("int workspace_arrays", has_tail(layout, shape.length) ? 2 : 1, "of as many points, of a channel");
  }
  return text + tap_constants(layout, config, plan);
}

GeneratedKernel emit_in_steps(const ConvConfig& config, const Transform& plan, const SumsShape& shape,
                              const SpectrumLayout& layout, const InverseTransform& transform, int steps) {
  std::string arch = config.arch;
  std::erase(arch, '_');
  GeneratedKernel kernel;
  kernel.name = fmt::format("filter_grad_n{}_{}{}_by_{}_r{}_taps{}{}_{}", plan.transform_length,
                            plan.right_angle() ? "angle_" : "", fmt::join(transform.column_radices, "x"),
                            fmt::join(transform.row_radices, "x"), shape.column_length, config.filter_length,
                            sparsity_suffix(layout.mask, plan.sparsity), arch);
  kernel.threads = transform_threads(transform.numbers);
  kernel.shared_bytes =
      transform_bytes(transform.numbers) +
      (transform.of_tiles ? line_roots_bytes(transform.row_radices.back(), transform.rows_at_once) : 0);
  kernel.overlaps = find_arch(config.arch).major >= 9;
  kernel.options = {"--std=c++17", "--fmad=false"};
  const std::string launches =
      fmt::format("// Launch: {} times for each chunk of channels, step 0 to {}; {} threads; grid (any, channels).\n",
                  steps, steps - 1, kernel.threads);
  const std::string entry =
      kernel_entry("__launch_bounds__(threads, blocks_per_sm)", kernel.name, "LongFilterGradientArguments arguments");
  const bool drops = !layout.mask.empty();
  const bool tiles = transform.of_tiles;
  const TransformEnds columns = tiles
                                    ? TransformEnds{"Columns", "columns", "to", "rows", "the samples", "ColumnPlaces()"}
                                    : TransformEnds{"Columns", "columns", "columns", "the frequencies", "the rows"},
                      rows = tiles ? TransformEnds{"Rows", "array", "to", "the frequencies", "the columns", "places"}
                                   : TransformEnds{"Rows", "rows", "to", "columns", "the samples"};
  Substitutes substitutes;
  if (has_tail(layout, shape.length)) substitutes["gradient_rows_to_taps.cuh"] = "gradient_rows_to_samples.cuh";
  if (!kernel.overlaps) substitutes["next_launch.cuh"] = "";
  if (plan.right_angle()) {
    substitutes["gradient_half_length.cuh"] = "gradient_right_angle.cuh";
    substitutes["gradient_sample.cuh"] = "gradient_quarter_sample.cuh";
    if (tiles) substitutes["gradient_points_of_sums.cuh"] = "gradient_rows_of_sums.cuh";
  }
  if (!has_large_primes(transform.column_radices) && !has_large_primes(transform.row_radices))
    substitutes["block_transform_primes.cuh"] = "block_transform.cuh";
  Blocks blocks = {{"header", filter_gradient_header(kernel.name, config, launches)},
                   {"constants", constants_block(config, plan, shape, layout, transform, kernel.threads)},
                   {"entry", entry},
                   {"wait", std::string(wait_text(kernel.overlaps))},
                   {"column_passes", transform_text(transform.column_radices, columns, 3)},
                   {"row_passes", transform_text(transform.row_radices, rows, 3)}};
  if (!tiles) blocks["kept"] = is_kept_function(layout.mask);
  if (!plan.right_angle()) {
    blocks["dropped"] = drops ? "  if (!is_kept(frequency)) return {0, 0};\n" : "";
    blocks["dropped_pair"] =
        drops ? "      if (!is_kept(k)) low = {0, 0};\n      if (!is_kept(points + k)) high = {0, 0};\n" : "";
  }
  kernel.source =
      assemble(tiles ? "filter_gradient_long_tiles.cu.in" : "filter_gradient_long.cu.in", blocks, substitutes);
  return kernel;
}

void put_in_steps(BackwardLaunch& launch, const ConvConfig& config, const Transform& plan, const SumsShape& shape,
                  const SpectrumLayout& layout) {
  // Rows and columns, or frequencies, columns and rows; and taps, where these do not make them.
  const bool gathers = has_tail(layout, shape.length);
  const InverseTransform transform = transform_of(plan, shape, find_arch(config.arch));
  launch.inverse_steps = 2 + (transform.of_tiles ? 0 : 1) + (gathers ? 1 : 0);
  launch.filter_gradient = emit_in_steps(config, plan, shape, layout, transform, launch.inverse_steps);
  launch.inverse_shares =
      std::max(transform.shape.rows / transform.shape.at_once, transform.shape.columns / transform.rows_at_once);
  // Arrays of float2: points, unless they take the place of sums, and samples.
  launch.inverse_bytes = ((transform.of_tiles ? 0 : 1) + (gathers ? 1 : 0)) * 8 * shape.points;
  launch.inverse_blocks =
      launch.inverse_bytes == 0
          ? measured::most_inverse_channels
          : static_cast<int>(std::clamp<std::int64_t>(measured::most_inverse_workspace / launch.inverse_bytes, 1,
                                                      measured::most_inverse_channels));
}

}  // namespace

void put_long_filter_gradient(BackwardLaunch& launch, const ConvConfig& config, const InBlockPlan& plan,
                              const SpectrumLayout& layout) {
  put_in_steps(launch, config, plan, sums_shape(plan, plan.rows(), 1), layout);
}

BackwardLaunch split_backward_launch(const ConvConfig& config, const FourStepPlan& plan,
                                     const SpectrumLayout& row_layout) {
  BackwardLaunch launch;
  launch.tensors = plan.backward.tensors();
  launch.packing = plan.packing;
  if (!plan.backward.sums) return launch;
  const SumsShape shape = sums_shape(plan, plan.columns.length(), plan.row_plan.rows());
  launch.sums_bytes = shape.rows * row_sums_bytes(plan.row_plan);
  if (plan.backward.returns_sums) {
    launch.returns_sums = true;
    launch.least_pairs = 1 << 30;
    launch.channels_at_once =
        plan.row_plan.geometry.groups * std::max(1, measured::usual_blocks / static_cast<int>(shape.rows));
    return launch;
  }
  put_in_steps(launch, config, plan, shape, row_layout);
  // Of rows alone as many rows, whose pairs would have twice the points.
  launch.least_pairs =
      plan.right_angle() ? 2 * least_pairs(2 * plan.transform_length) : least_pairs(plan.transform_length);
  return launch;
}

}  // namespace ffc
