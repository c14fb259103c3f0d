// Text and checks that both kinds of filter kernels share.
#include "filter_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>

#include "assemble.hpp"
#include "block_transform.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "mask_text.hpp"
#include "spectrum_layout.hpp"
#include "text.hpp"
#include "unit_roots.hpp"

namespace ffc {
namespace {

// Up to here a thread holds the inputs and roots of a whole butterfly in registers.
constexpr int largest_butterfly = 8;

}  // namespace

std::vector<int> filter_radices(std::int64_t length) {
  std::vector<int> radices;
  std::int64_t rest = length;
  const auto divide_by = [&](int radix) {
    for (; rest % radix == 0; rest /= radix) radices.push_back(radix);
  };
  if (rest > 1)
    for (const int power : {8, 4, 2}) divide_by(power);
  for (int odd = 3; odd <= largest_filter_prime && rest > 1; odd += 2) divide_by(odd);
  if (rest != 1)
    throw std::logic_error(fmt::format("transform length is {}; a filter kernel takes products of primes up to {}",
                                       length, largest_filter_prime));
  std::sort(radices.begin(), radices.end(), std::greater<>());
  return radices;
}

std::string filter_passes(const std::vector<int>& radices, std::string_view length, std::string_view result) {
  std::string text;
  std::string_view from = "ping";
  std::string_view to = "pong";
  std::int64_t done = 1;
  for (const int radix : radices) {
    text += fmt::format(
        "    // Radix {}: transforms of length {} become transforms of length {}.\n"
        "    {}<{}, {}, {}>({}, {}, roots, share);\n"
        "    block_barrier();\n",
        radix, done, done * radix, radix <= largest_butterfly ? "pass_in_registers" : "pass_by_output", length, radix,
        done, from, to);
    std::swap(from, to);
    done *= radix;
  }
  return text + fmt::format("    const float2* const {} = {};\n", result, from);
}

std::vector<std::uint32_t> root_words(std::int64_t length) {
  std::vector<std::uint32_t> words;
  words.reserve(static_cast<std::size_t>(2 * length));
  const UnitRoots roots(length);
  for (std::int64_t i = 0; i < length; ++i) {
    const std::complex<double> root = roots[i];
    words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(root.real())));
    words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(root.imag())));
  }
  return words;
}

void check_filter_layout(const SpectrumLayout& layout, std::int64_t length) {
  const auto elements = static_cast<std::int64_t>(layout.order.size());
  if (layout.tile < 1 || elements % layout.tile != 0 || elements % 4 != 0)
    throw std::logic_error(
        fmt::format("a spectrum row has {} elements in tiles of {}; it must be a multiple of 4 and "
                    "of the tile",
                    elements, layout.tile));
  for (const std::int32_t frequency : layout.order)
    if (frequency < -1 || frequency >= length)
      throw std::logic_error(
          fmt::format("a spectrum element has frequency {}; it must lie in [-1, {}]", frequency, length - 1));
}

std::uint64_t order_fingerprint(const std::vector<std::int32_t>& order) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::int32_t frequency : order)
    hash = std::rotl((hash ^ static_cast<std::uint32_t>(frequency)) * 0x9e3779b97f4a7c15u, 29);
  return hash;
}

std::string filter_constants(const SpectrumLayout& layout, std::int64_t length, int threads, int blocks) {
  std::string text;
  const auto constant = [&](std::string_view declared, const auto& value, std::string_view comment = {}) {
    text += constant_line(declared, value, comment);
  };
  constant("int length", length, "of the transform");
  constant("int threads", threads);
  constant("int blocks_per_sm", blocks, "at least");
  constant("int elements", layout.order.size(), "complex, of a spectrum row");
  constant("int tile", layout.tile, "real parts, then as many imaginary parts");
  constant("int head", layout.head, "positions before it hold the taps from 0 on");
  constant("int tail_start", layout.tail_start, "positions from it on hold the taps from tail_tap on");
  constant("int tail_tap", layout.tail_tap);
  constant("double gain", fmt::format("{:.17g}", layout.gain), "of the stored spectrum");
  constant("int output_exponent", layout.output_exponent, "the scale is 2^(e + output_exponent)");
  constant("int least_exponent", layout.fp16_scale ? -14 : -126, "of the scale");
  constant("int most_exponent", layout.fp16_scale ? 15 : 127);
  return text;
}

FilterPacking packing_of(const SpectrumLayout& layout, std::int64_t length) {
  if (layout.right_angle) return FilterPacking::right_angle;
  return length % 2 == 0 ? FilterPacking::half_length : FilterPacking::complex;
}

std::int64_t points_of(FilterPacking packing, std::int64_t length) {
  return packing == FilterPacking::half_length   ? length / 2
         : packing == FilterPacking::right_angle ? length / 4
                                                 : length;
}

std::string_view short_name(FilterPacking packing) {
  return packing == FilterPacking::half_length ? "half" : packing == FilterPacking::right_angle ? "angle" : "complex";
}

std::string_view point_frequencies(FilterPacking packing) {
  return packing == FilterPacking::right_angle ? "PointFrequencies()" : "";
}

Substitutes packing_templates(FilterPacking packing) {
  if (packing == FilterPacking::half_length) return {};
  return {{"filter_half_length.cuh",
           packing == FilterPacking::right_angle ? "filter_right_angle.cuh" : "filter_complex.cuh"},
          {"filter_block_pairs.cuh", "filter_block_points.cuh"},
          {"filter_rows_pairs.cuh", "filter_rows_points.cuh"}};
}

namespace {

constexpr int inner_of(int i, TileOrder order) {
  const int rows = i / 32 + i / 2 % 2 * 8 + i % 2 * 16;
  return rows + (order == TileOrder::fours ? i / 4 % 2 * 32 + i / 8 % 4 * 64 : i / 8 % 4 * 32 + i / 4 % 2 * 128);
}

// A single row at a right angle is at frequencies 4 k + 1; else the order counts a row's own frequencies.
constexpr bool counts_quarters(const SpectrumLayout& layout) { return layout.right_angle && layout.rows.empty(); }

}  // namespace

int order_of_tiles(const SpectrumLayout& layout, TileOrder order) {
  constexpr int tile = 256, second = 32;  // the element whose inner number is 1
  const auto elements = static_cast<int>(layout.order.size());
  if (layout.tile != tile || elements % tile != 0) return 0;
  const int step = counts_quarters(layout) ? 4 : 1, first = counts_quarters(layout) ? 1 : 0;
  const int apart = (layout.order[second] - first) / step;
  for (int i = 0; i < elements; ++i)
    if (layout.order[static_cast<std::size_t>(i)] != step * (inner_of(i % tile, order) * apart + i / tile) + first)
      return 0;
  return apart;
}

std::optional<std::string> tile_outputs(TileOrder order) {
  if (order == TileOrder::fragments) return as_it_stands;
  return "__device__ __forceinline__ constexpr int output_of(int eight, int half) { return 4 * eight + 2 * half; }\n";
}

void put_order(Blocks& blocks, Substitutes& substitutes, const SpectrumLayout& layout) {
  const int apart = order_of_tiles(layout);
  if (apart == 0) return;
  substitutes["order_in_table.cuh"] = "order_in_tiles.cuh";
  blocks["order_constants"] =
      constant_line("int order_apart", apart, "frequencies of a tile next to each other") +
      constant_line("int order_step", counts_quarters(layout) ? 4 : 1, "of the order's numbers") +
      constant_line("int order_first", counts_quarters(layout) ? 1 : 0, "");
}

void put_mask(Blocks& blocks, const FrequencyMask& mask, FilterPacking packing) {
  blocks["kept"] = is_kept_function(mask);
  // A mask reaches over all frequencies of a row, so those are never a fourth of them.
  if (packing == FilterPacking::right_angle) return;
  const bool pairs = packing == FilterPacking::half_length;
  blocks["dropped"] = mask.empty() ? ""
                      : pairs      ? "  if (!is_kept(f)) x.low = {0.0f, 0.0f};\n"
                                     "  if (!is_kept(points - f)) x.high = {0.0f, 0.0f};\n"
                                   : "  if (!is_kept(f)) return {0.0f, 0.0f};\n";
}

}  // namespace ffc
