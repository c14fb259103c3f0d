// Emission of filter kernels: taps to the spectrum that a convolution reads, one transform per channel in the shared
// memory of a block.
#include "emit_filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "assemble.hpp"
#include "block_transform.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "filter_text.hpp"
#include "mask_text.hpp"
#include "rows_of_tiles.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"

namespace ffc {
namespace {

static_assert(sizeof(FilterArguments) == 56, "filter_arguments.cuh declares 56 bytes");

constexpr int largest_bytes = 128;  // of the largest magnitude that each warp finds

// The real row has a frequency more than there are points.
int array_bytes(std::int64_t points) { return transform_bytes(points + 1); }

// In which order a row of tiles takes frequencies from the registers of a transform's last pass; nothing where it has
// another, or what it takes is not what the transform leaves.
std::optional<TileOrder> order_from_registers(const SpectrumLayout& layout, std::int64_t points) {
  if (!layout.right_angle || !layout.rows.empty() || points % 256 != 0) return std::nullopt;
  for (const TileOrder order : {TileOrder::fragments, TileOrder::fours})
    if (order_of_tiles(layout, order) == points / 256) return order;
  return std::nullopt;
}

std::string header_block(const SpectrumLayout& layout, const GeneratedKernel& kernel, std::string_view arch) {
  const std::string lines =
      fmt::format("// {} (fingerprint of that order {:016x}).\n",
                  kernel.tables.empty() ? "No tables: an element's frequency follows from its place"
                                        : "Tables: the frequency of every element",
                  order_fingerprint(layout.order));
  return filter_header(kernel.name, lines, arch);
}

std::string entry_block(const std::string& name) {
  return kernel_entry("__launch_bounds__(threads, blocks_per_sm)", name, "FilterArguments arguments");
}

}  // namespace

bool fits_filter_block(const SpectrumLayout& layout, std::int64_t length, std::string_view arch) {
  const std::int64_t points = points_of(packing_of(layout, length), length);
  return points <= most_points_of_filter && array_bytes(points) + largest_bytes <= find_arch(arch).shared_per_block;
}

GeneratedKernel emit_filter(const SpectrumLayout& layout, std::int64_t length, std::string_view arch) {
  check_filter_layout(layout, length);
  const FilterPacking packing = packing_of(layout, length);
  const std::int64_t points = points_of(packing, length);
  const std::optional<TileOrder> tiles = order_from_registers(layout, points);
  const std::vector<int> radices = tiles ? radices_to_tiles(points) : radices_from_taps(points);
  const std::vector<int> to_array(radices.begin(), radices.end() - (tiles ? 1 : 0));
  const int of_array = tiles ? transform_bytes(points) : array_bytes(points);
  std::string arch_name(arch);
  std::erase(arch_name, '_');
  GeneratedKernel kernel;
  kernel.name = fmt::format("filter_n{}_{}_{}_tile{}{}_{}", length, short_name(packing), fmt::join(radices, "x"),
                            layout.tile, sparsity_suffix(layout.mask, sparsity(layout.mask)), arch_name);
  kernel.threads = transform_threads(points);
  kernel.options = {"--std=c++17", "--fmad=false"};
  kernel.shared_bytes = of_array + largest_bytes;
  Blocks blocks = {
      {"constants", filter_constants(layout, length, kernel.threads, transform_blocks(kernel.threads))},
      {"array_bytes",
       constant_line("int array_bytes", of_array, "of shared memory; behind them the largest magnitude")},
      {"entry", entry_block(kernel.name)},
      {"passes", transform_text(to_array, {"Row", "taps", "array", "taps", "", point_frequencies(packing)}, 1)}};
  put_mask(blocks, layout.mask, packing);
  Substitutes substitutes = packing_templates(packing);
  if (tiles) {
    blocks["outputs"] = tile_outputs(*tiles);
  } else if (const auto rows = rows_of_tiles(layout, length, 1)) {
    blocks["residue_constants"] = residue_constants(*rows, 1);
    substitutes["row_in_order.cuh"] = "row_in_tiles.cuh";
  } else {
    put_order(blocks, substitutes, layout);
    kernel.tables.assign(layout.order.begin(), layout.order.end());
  }
  blocks["header"] = header_block(layout, kernel, arch);
  if (!has_large_primes(radices)) substitutes["block_transform_primes.cuh"] = "";
  kernel.source = assemble(tiles ? "filter_tiles.cu.in" : "filter.cu.in", blocks, substitutes);
  return kernel;
}

}  // namespace ffc
