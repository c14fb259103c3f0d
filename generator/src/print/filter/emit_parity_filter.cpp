// Emission of filter kernels of two blocks, one with the even frequencies of a channel and one with the odd ones.
#include "emit_parity_filter.hpp"

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
#include "mask_text.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"

namespace ffc {
namespace {

constexpr int blocks = 2;
constexpr int largest_bytes = 128 + 16;  // of the largest magnitude that each warp finds, and of the block's

std::int64_t points_of_block(std::int64_t length) { return length / 2 / blocks; }
// The real row has an even frequency more than there are points.
int array_bytes(std::int64_t length) { return transform_bytes(points_of_block(length) + 1); }
int rows_of(int column_length) { return column_length / 2 + 1; }

std::string constants_block(std::int64_t length, int column_length) {
  return constant_line("int row_distance", column_length, "between the frequencies of a spectrum row") +
         constant_line("int rows", rows_of(column_length), "of a channel's spectrum") +
         constant_line("int array_bytes", array_bytes(length), "of shared memory; behind them the largest magnitudes");
}

std::string header_block(const SpectrumLayout& layout, const GeneratedKernel& kernel, int column_length,
                         std::string_view arch) {
  const std::string lines = fmt::format(
      "// Element i of row j has frequency j + {} order[i]. Tables: the order (fingerprint {:016x}).\n"
      "// Launch: {} threads; grid (channels in clusters of {}).\n",
      column_length, order_fingerprint(layout.order), kernel.threads, blocks);
  return filter_header(kernel.name, lines, arch);
}

// Two of up to 768 threads, where a multiprocessor's memory holds them: what spills costs less than what they hide, but
// not in 32 registers.
int blocks_at_once(const GeneratedKernel& kernel, const Arch& arch) {
  constexpr int most_threads = 768, reserved_bytes = 1024;  // of a block, by the device
  const bool fits = 2 * kernel.shared_bytes + reserved_bytes <= arch.shared_per_block;
  return std::max(transform_blocks(kernel.threads), fits && kernel.threads <= most_threads ? 2 : 1);
}

GeneratedKernel emit(const SpectrumLayout& layout, std::int64_t length, int column_length, std::string_view arch) {
  const std::vector<int> radices = radices_from_taps(points_of_block(length));
  std::string arch_name(arch);
  std::erase(arch_name, '_');
  GeneratedKernel kernel;
  kernel.name = fmt::format("filter_n{}_parities_{}_r{}_tile{}{}_{}", length, fmt::join(radices, "x"), column_length,
                            layout.tile, sparsity_suffix(layout.mask, sparsity(layout.mask)), arch_name);
  kernel.threads = transform_threads(points_of_block(length));
  kernel.cluster = blocks;
  kernel.options = {"--std=c++17", "--fmad=false"};
  kernel.shared_bytes = array_bytes(length) + largest_bytes;
  kernel.tables.assign(layout.order.begin(), layout.order.end());
  Blocks text = {
      {"header", header_block(layout, kernel, column_length, arch)},
      {"constants", filter_constants(layout, length, kernel.threads, blocks_at_once(kernel, find_arch(arch)))},
      {"parity_constants", constants_block(length, column_length)},
      {"entry", kernel_entry("__cluster_dims__(2, 1, 1) __launch_bounds__(threads, blocks_per_sm)", kernel.name,
                             "FilterArguments arguments")},
      {"passes", transform_text(radices, {"Row", "taps", "array", "taps", "", "frequencies"}, 1)}};
  put_mask(text, layout.mask, FilterPacking::half_length);
  Substitutes substitutes;
  put_order(text, substitutes, layout);
  if (!has_large_primes(radices)) substitutes["block_transform_primes.cuh"] = "";
  kernel.source = assemble("filter_parities.cu.in", text, substitutes);
  return kernel;
}

}  // namespace

bool fits_parity_filter(const SpectrumLayout& row_layout, std::int64_t length, int column_length,
                        std::string_view arch) {
  if (!find_arch(arch).has_clusters() || !row_layout.rows.empty()) return false;
  if (packing_of(row_layout, length) != FilterPacking::half_length || length % (2 * blocks) != 0) return false;
  return column_length % blocks == 0 && points_of_block(length) <= most_points_of_filter &&
         array_bytes(length) + largest_bytes <= find_arch(arch).shared_per_block;
}

void put_parity_filter(Generated& generated, const SpectrumLayout& row_layout, std::int64_t length, int column_length,
                       std::string_view arch) {
  check_filter_layout(row_layout, length / column_length);
  generated.filter = emit(row_layout, length, column_length, arch);
  generated.spectrum_row_bytes =
      split_spectrum_bytes(rows_of(column_length), static_cast<std::int64_t>(row_layout.order.size()));
  generated.filter_blocks = std::numeric_limits<int>::max() / blocks;
}

}  // namespace ffc
