// Emission of filter kernels of two, four or eight blocks, each with a channel's frequencies of one residue.
#include "emit_residue_filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "assemble.hpp"
#include "block_transform.hpp"
#include "emit_filter.hpp"
#include "emit_long_filter.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "filter_text.hpp"
#include "filters.hpp"
#include "mask_text.hpp"
#include "rows_of_tiles.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"

namespace ffc {
namespace {

constexpr int largest_bytes = 128 + 32;  // of the largest magnitude that each warp finds, and that each block does

std::int64_t points_of_block(std::int64_t length, int blocks) { return length / 2 / blocks; }
// The real row of block 0 has a frequency more than there are points.
int array_bytes(std::int64_t length, int blocks) { return transform_bytes(points_of_block(length, blocks) + 1); }

std::string header_block(const SpectrumLayout& layout, const RowsOfTiles& rows, const GeneratedKernel& kernel,
                         std::string_view arch) {
  const std::string lines = fmt::format(
      "// Tile t of row j has frequencies j + {} (t + {} inner) (fingerprint of the order {:016x}).\n"
      "// Launch: {} threads; grid (channels in clusters of {}).\n",
      rows.distance, rows.tiles, order_fingerprint(layout.order), kernel.threads, kernel.cluster);
  return filter_header(kernel.name, lines, arch);
}

// Two of up to 768 threads, where a multiprocessor's memory holds them: what spills costs less than what they hide, but
// not in 32 registers.
int blocks_at_once(const GeneratedKernel& kernel, const Arch& arch) {
  constexpr int most_threads = 768;
  const bool two = kernel.threads <= most_threads && arch.holds(2, kernel.shared_bytes);
  return std::max(transform_blocks(kernel.threads), two ? 2 : 1);
}

GeneratedKernel emit(const SpectrumLayout& layout, const RowsOfTiles& rows, std::int64_t length, int blocks,
                     std::string_view arch) {
  const std::int64_t points = points_of_block(length, blocks);
  const std::vector<int> radices = radices_from_taps(points);
  std::string arch_name(arch);
  std::erase(arch_name, '_');
  GeneratedKernel kernel;
  kernel.name = fmt::format("filter_n{}_residues{}_{}_r{}_tile{}{}_{}", length, blocks, fmt::join(radices, "x"),
                            rows.distance, layout.tile, sparsity_suffix(layout.mask, sparsity(layout.mask)), arch_name);
  kernel.threads = transform_threads(points);
  kernel.cluster = blocks;
  kernel.options = {"--std=c++17", "--fmad=false"};
  const int of_array = array_bytes(length, blocks);
  kernel.shared_bytes = of_array + largest_bytes;
  Blocks text = {
      {"header", header_block(layout, rows, kernel, arch)},
      {"constants", filter_constants(layout, length, kernel.threads, blocks_at_once(kernel, find_arch(arch)))},
      {"residue_constants", residue_constants(rows, blocks)},
      {"array_bytes",
       constant_line("int array_bytes", of_array, "of shared memory; behind them the largest magnitudes")},
      {"entry",
       kernel_entry(fmt::format("__cluster_dims__({}, 1, 1) __launch_bounds__(threads, blocks_per_sm)", blocks),
                    kernel.name, "FilterArguments arguments")},
      {"passes", transform_text(radices, {"Row", "array", "array", "the array", "", "frequencies"}, 1)}};
  put_mask(text, layout.mask, FilterPacking::half_length);
  text["residue_dropped"] =
      layout.mask.empty() ? ""
                          : "    if (!is_kept(2 * parts * number + residue)) array.store(number, x = {0.0f, 0.0f});\n";
  Substitutes substitutes;
  if (!has_large_primes(radices)) substitutes["block_transform_primes.cuh"] = "";
  kernel.source = assemble("filter_residues.cu.in", text, substitutes);
  return kernel;
}

}  // namespace

std::optional<int> residue_blocks(const SpectrumLayout& row_layout, std::int64_t length, int column_length,
                                  std::string_view arch) {
  const std::optional<RowsOfTiles> rows = rows_of_tiles(row_layout, length, column_length);
  if (!find_arch(arch).has_clusters() || !rows || length / 2 <= measured::most_points_of_lone_block)
    return std::nullopt;
  for (const int blocks : {8, 4, 2}) {
    // The frequencies of a tile have one residue of twice as many as there are blocks.
    if (rows->tiles * rows->distance % (2 * blocks) != 0) continue;
    if (points_of_block(length, blocks) <= most_points_of_filter &&
        array_bytes(length, blocks) + largest_bytes <= find_arch(arch).shared_per_block)
      return blocks;
  }
  return std::nullopt;
}

void put_residue_filter(Generated& generated, const SpectrumLayout& row_layout, std::int64_t length, int column_length,
                        int blocks, std::string_view arch) {
  check_filter_layout(row_layout, length / column_length);
  const RowsOfTiles rows = rows_of_tiles(row_layout, length, column_length).value();
  generated.filter = emit(row_layout, rows, length, blocks, arch);
  generated.spectrum_row_bytes = split_spectrum_bytes(rows.rows(), std::int64_t{rows.tiles} * points_of_tile);
  generated.filter_blocks = std::numeric_limits<int>::max() / blocks;
}

}  // namespace ffc
