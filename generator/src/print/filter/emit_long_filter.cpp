// Emission of filter kernels of long transforms: N = R x M, all blocks of the grid on one step of a channel at a time.
#include "emit_long_filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "assemble.hpp"
#include "block_transform.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "filter_text.hpp"
#include "filters.hpp"
#include "mask_text.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"

namespace ffc {
namespace {

static_assert(sizeof(LongFilterArguments) == 64, "filter_long_arguments.cuh declares 64 bytes");

constexpr std::int64_t longest_transform = 1 << 25;  // that unit_root.cuh is accurate for
constexpr std::int64_t most_chunk = 65535;           // channels, in y of a grid
constexpr int largest_bytes = 128;                   // of the largest magnitude that each warp finds

void check_rows(const SpectrumLayout& row_layout, std::int64_t transform_length, int column_length) {
  if (column_length < 1 || transform_length % column_length != 0)
    throw std::logic_error(fmt::format("column length is {}; it must be a factor of the transform length {}",
                                       column_length, transform_length));
  check_filter_layout(row_layout, transform_length / column_length);
}

// The transform of a long filter, and how blocks share it.
struct LongTransform {
  FilterPacking packing;
  std::int64_t points;
  ColumnsAndRows shape;
  std::vector<int> column_radices, row_radices;
  int numbers;            // that a block holds at most
  bool of_tiles = false;  // rows hold whole tiles of the spectrum
  int rows_at_once = 1;   // where they do
};

// Frequencies of a transform's row lie columns apart, those of a tile of the spectrum as many as a row has tiles: where
// the one divides the other, a row holds whole tiles.
bool rows_hold_tiles(const SpectrumLayout& layout, const ColumnsAndRows& shape) {
  const int rows = std::max(1, static_cast<int>(layout.rows.size()));
  const int tiles = static_cast<int>(layout.order.size()) / layout.tile;
  if (order_of_tiles(layout) != tiles) return false;
  if (shape.columns % rows != 0 || shape.rows % layout.tile != 0 || tiles % (shape.columns / rows) != 0) return false;
  for (std::size_t row = 0; row < layout.rows.size(); ++row)
    if (layout.rows[row] != 4 * static_cast<int>(row) + 1) return false;
  return true;
}

// Columns and rows that hold whole tiles; nothing where none do.
std::optional<ColumnsAndRows> packed_shape(const SpectrumLayout& layout, const LongTransform& transform, int distance,
                                           std::int64_t most) {
  if (transform.packing != FilterPacking::right_angle || layout.tile != points_of_tile || layout.order.empty())
    return std::nullopt;
  const auto shape = packed_columns_and_rows(transform.points, distance, most, measured::narrow_of_packed);
  return shape && rows_hold_tiles(layout, *shape) ? shape : std::nullopt;
}

LongTransform transform_of(const SpectrumLayout& layout, std::int64_t length, int column_length,
                           std::string_view arch) {
  check_rows(layout, length, column_length);
  if (length < 1 || length > longest_transform)
    throw std::logic_error(fmt::format("transform length is {}; the filter kernel of a long transform takes 1 to {}",
                                       length, longest_transform));
  LongTransform transform;
  transform.packing = packing_of(layout, length);
  transform.points = points_of(transform.packing, length);
  (void)transform_radices(transform.points);
  const int lines = transform.packing == FilterPacking::half_length ? 2 : 1;
  const bool right_angle = transform.packing == FilterPacking::right_angle;
  const int distance = std::max(1, right_angle ? column_length / 4 : column_length);
  const std::int64_t most = find_arch(arch).shared_per_block / 8 - 64;
  if (const auto packed = packed_shape(layout, transform, distance, most)) {
    transform.of_tiles = true;
    transform.shape = *packed;
  } else {
    const int narrow = right_angle ? measured::narrow_of_lone_rows : measured::narrow_of_pairs;
    transform.shape = wide_columns_and_rows(transform.points, lines, distance, most, narrow);
  }
  const auto& [columns, rows, at_once] = transform.shape;
  transform.column_radices = radices_from_taps(columns);
  transform.row_radices = radices_from_taps(rows);
  transform.numbers = std::max(columns * at_once, lines * rows);
  if (!transform.of_tiles) return transform;
  transform.rows_at_once = rows_at_once(transform.shape, transform.numbers);
  transform.row_radices = radices_to_tiles(rows);
  return transform;
}

// Columns and rows; where these do not hold tiles, the spectrum behind them.
int steps_of(const LongTransform& transform) { return transform.of_tiles ? 2 : 3; }

// What blocks share a channel's columns and rows into: no more blocks would find work.
int shares_of(const LongTransform& transform) {
  const auto& [columns, rows, at_once] = transform.shape;
  const int lines = transform.packing == FilterPacking::half_length ? 2 : transform.rows_at_once;
  return std::max(rows / at_once, (columns + lines - 1) / lines);
}

// The points and what stands behind them, in whole 256 bytes: where rows hold whole tiles, filter_channels.cuh's
// ChannelState, else the real row's frequency and the bits of the largest magnitude.
std::int64_t workspace_bytes(const LongTransform& transform) {
  const auto rounded = [](std::int64_t bytes) { return (bytes + 255) / 256 * 256; };
  if (!transform.of_tiles) return rounded(8 * transform.points + 12);
  const int column_blocks = transform.shape.rows / transform.shape.at_once;
  const int unit_rows = transform.shape.columns / transform.column_radices.back();
  const int exponents = 16 * unit_rows * (column_blocks / transform.row_radices.front());
  return rounded(4 * transform.points + exponents + 4 * column_blocks + 8);
}

std::string header_block(const LongTransform& transform, const SpectrumLayout& layout, const std::string& name,
                         int column_length, std::string_view arch) {
  const std::string lines = fmt::format(
      "// Element i of row j has frequency {} + {} order[i]. Tables: the order (fingerprint {:016x}).\n"
      "// Launch: {} times for each chunk of channels, step 0 to {}; {} threads; grid ({}, channels).\n",
      layout.rows.empty() ? "j" : "the row's own", column_length, order_fingerprint(layout.order), steps_of(transform),
      steps_of(transform) - 1, transform_threads(transform.numbers), shares_of(transform));
  return filter_header(name, lines, arch);
}

int rows_of(const SpectrumLayout& layout, int column_length) {
  return layout.rows.empty() ? column_length / 2 + 1 : static_cast<int>(layout.rows.size());
}

std::string long_constants_block(const LongTransform& transform, int column_length, int rows) {
  const bool tiles = transform.of_tiles;
  return (tiles ? "" : constant_line("int row_distance", column_length, "between the frequencies of a spectrum row")) +
         constant_line("int rows", rows, "of a channel's spectrum") +
         constant_line("int column_points", transform.shape.columns, "of the transform, row_points apart") +
         constant_line("int row_points", transform.shape.rows, "") +
         constant_line("int columns_at_once", transform.shape.at_once, "of a block, next to each other") +
         (tiles ? constant_line("int rows_at_once", transform.rows_at_once, "of a block, next to each other") +
                      constant_line("int last_column_radix", transform.column_radices.back(), "") +
                      constant_line("int first_row_radix", transform.row_radices.front(), "")
                : "") +
         constant_line("int array_bytes", transform_bytes(transform.numbers),
                       "of shared memory; behind them the largest magnitude") +
         constant_line("long long workspace_bytes", workspace_bytes(transform), "of a channel");
}

// Where rows are dropped, a row's number is not its frequency.
void put_rows(Blocks& blocks, const SpectrumLayout& layout) {
  blocks["rows_check"] = blocks["frequency"] = as_it_stands;
  if (layout.rows.empty()) return;
  blocks["kept"].value() +=
      "// The frequencies of the rows that are kept.\n" + place_function("row_frequency", layout.rows) + "\n";
  blocks["rows_check"] =
      layout.right_angle
          ? "static_assert(4 * rows == row_distance, \"no row has a mirror\");\n"
          : "static_assert(rows <= row_distance / 2 + 1, \"a real filter's other rows are conjugates\");\n";
  blocks["frequency"] = "        return frequency_of(stored, row_frequency(row) + row_distance * k);\n";
}

std::string entry_block(const std::string& name) {
  return kernel_entry("__launch_bounds__(threads, blocks_per_sm)", name, "LongFilterArguments arguments");
}

// Of the passes that leave rows in the array: those of tiles go on to the spectrum by one more.
std::vector<int> radices_to_array(const LongTransform& transform) {
  const std::vector<int>& radices = transform.row_radices;
  return {radices.begin(), radices.end() - (transform.of_tiles ? 1 : 0)};
}

GeneratedKernel emit(const LongTransform& transform, const SpectrumLayout& row_layout, std::int64_t transform_length,
                     int column_length, std::string_view arch) {
  std::string arch_name(arch);
  std::erase(arch_name, '_');
  GeneratedKernel kernel;
  kernel.name =
      fmt::format("filter_n{}_{}_{}_by_{}_r{}_tile{}{}{}_{}", transform_length, short_name(transform.packing),
                  fmt::join(transform.column_radices, "x"), fmt::join(transform.row_radices, "x"), column_length,
                  row_layout.tile, row_layout.rows.empty() || !row_layout.mask.empty() ? "" : "_some",
                  sparsity_suffix(row_layout.mask, sparsity(row_layout.mask)), arch_name);
  kernel.threads = transform_threads(transform.numbers);
  kernel.overlaps = find_arch(arch).major >= 9;
  kernel.options = {"--std=c++17", "--fmad=false"};
  kernel.shared_bytes =
      transform_bytes(transform.numbers) + largest_bytes +
      (transform.of_tiles ? line_roots_bytes(transform.row_radices.front(), transform.rows_at_once) : 0);
  kernel.tables.assign(row_layout.order.begin(), row_layout.order.end());
  const bool tiles = transform.of_tiles;
  const TransformEnds columns = {"Columns", "from", "to", "taps", "the rows", point_frequencies(transform.packing)};
  TransformEnds lines = {"Rows", "from", "array", "columns", "", "frequencies"};
  if (tiles) lines.from = "loaded", lines.is_loaded = true, lines.first_frequencies = "roots";
  Blocks blocks = {
      {"header", header_block(transform, row_layout, kernel.name, column_length, arch)},
      {"constants", filter_constants(row_layout, transform_length, kernel.threads, transform_blocks(kernel.threads))},
      {"long_constants", long_constants_block(transform, column_length, rows_of(row_layout, column_length))},
      {"entry", entry_block(kernel.name)},
      {"wait", std::string(wait_text(kernel.overlaps))},
      {"column_passes", transform_text(transform.column_radices, columns, 2)},
      {"row_passes", transform_text(radices_to_array(transform), lines, 2)}};
  put_mask(blocks, row_layout.mask, transform.packing);
  if (tiles)
    blocks["outputs"] = tile_outputs(TileOrder::fragments);
  else
    put_rows(blocks, row_layout);
  Substitutes substitutes = packing_templates(transform.packing);
  std::vector<int> radices = transform.column_radices;
  radices.insert(radices.end(), transform.row_radices.begin(), transform.row_radices.end());
  if (!kernel.overlaps) substitutes["next_launch.cuh"] = "";
  if (!tiles) put_order(blocks, substitutes, row_layout);
  if (!has_large_primes(radices)) substitutes["block_transform_primes.cuh"] = "";
  kernel.source = assemble(tiles ? "filter_long_tiles.cu.in" : "filter_long.cu.in", blocks, substitutes);
  return kernel;
}

}  // namespace

bool spectrum_lacks_power(const SpectrumLayout& row_layout, std::int64_t transform_length, int column_length,
                          std::string_view arch) {
  return transform_of(row_layout, transform_length, column_length, arch).of_tiles;
}

GeneratedKernel emit_long_filter(const SpectrumLayout& row_layout, std::int64_t transform_length, int column_length,
                                 std::string_view arch) {
  const LongTransform transform = transform_of(row_layout, transform_length, column_length, arch);
  return emit(transform, row_layout, transform_length, column_length, arch);
}

void put_long_filter(Generated& generated, const SpectrumLayout& row_layout, std::int64_t transform_length,
                     int column_length, std::string_view arch) {
  const LongTransform transform = transform_of(row_layout, transform_length, column_length, arch);
  generated.filter = emit(transform, row_layout, transform_length, column_length, arch);
  generated.filter_steps = steps_of(transform);
  generated.filter_shares = shares_of(transform);
  generated.spectrum_row_bytes =
      split_spectrum_bytes(rows_of(row_layout, column_length), static_cast<std::int64_t>(row_layout.order.size()));
  generated.filter_workspace_bytes_per_block = workspace_bytes(transform);
  const std::int64_t most = transform.of_tiles ? measured::most_workspace_of_tiles : measured::most_filter_workspace;
  generated.filter_blocks =
      static_cast<int>(std::clamp<std::int64_t>(most / generated.filter_workspace_bytes_per_block, 1, most_chunk));
}

}  // namespace ffc
