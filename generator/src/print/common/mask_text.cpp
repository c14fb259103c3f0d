// Text of masks: sets as comparisons, lists as sums of gaps.
#include "mask_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "ranges_text.hpp"
#include "text.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

// Whether `digit` lies in one of the ranges.
std::string in_ranges(const MaskDigit& digit) {
  std::vector<std::string> terms;
  for (const auto& [first, end] : digit.kept) {
    if (end == first + 1)
      terms.push_back(fmt::format("digit == {}", first));
    else if (first == 0)
      terms.push_back(fmt::format("digit < {}", end));
    else if (end == digit.radix)
      terms.push_back(fmt::format("digit >= {}", first));
    else
      terms.push_back(fmt::format("(digit >= {} && digit < {})", first, end));
  }
  return fmt::format("{}", fmt::join(terms, " || "));
}

}  // namespace

std::string is_kept_function(const FrequencyMask& mask) {
  if (mask.empty()) return {};
  std::string text = fmt::format(
      "// The mask {}: whether a frequency's digits are\n"
      "// among those that it names, the lowest digit first.\n"
      "__device__ __forceinline__ bool is_named(int frequency) {{\n"
      "  int rest = frequency, digit = 0;\n",
      to_string(mask));
  for (const MaskDigit& digit : mask.digits) {
    text += fmt::format("  digit = rest % {0}, rest /= {0};\n", digit.radix);
    if (digit.count() < digit.radix) text += fmt::format("  if (!({})) return false;\n", in_ranges(digit));
  }
  return text + fmt::format(
                    "  return true;\n"
                    "}}\n\n"
                    "// A real filter has as much at -k as at k: {}.\n"
                    "__device__ __forceinline__ bool is_kept(int frequency) {{\n"
                    "  return is_named(frequency) {} is_named((length - frequency) % length);\n"
                    "}}\n\n",
                    mask.mirrors == Mirrors::added ? "what is named keeps its negative" : "both must be named",
                    mask.mirrors == Mirrors::added ? "||" : "&&");
}

std::string place_function(std::string_view name, const std::vector<int>& values, Direction direction) {
  const bool to_value = direction == Direction::to_value;
  const std::string_view from = to_value ? "place" : "row";
  std::string sum(from);
  int gaps = 0;
  for (std::size_t place = 0; place < values.size(); ++place) {
    const int gap = values[place] - static_cast<int>(place) - gaps;
    if (gap == 0) continue;
    const std::string_view sign = to_value ? "+" : "-";
    const int threshold = to_value ? static_cast<int>(place) : values[place];
    sum += place == 0 ? fmt::format(" {} {}", sign, gap)
                      : fmt::format(" {} ({} >= {} ? {} : 0)", sign, from, threshold, gap);
    gaps += gap;
  }
  return fmt::format("__device__ constexpr int {}(int {}) {{ return {}; }}\n", name, from, sum);
}

std::string one_of(std::string_view name, const std::vector<int>& values) {
  std::vector<std::string> terms;
  terms.reserve(values.size());
  for (const int value : values) terms.push_back(fmt::format("{} == {}", name, value));
  return fmt::format("{}", fmt::join(terms, " || "));
}

std::string sparsity_suffix(const FrequencyMask& mask, double sparsity) {
  if (mask.empty()) return {};
  // FNV-1a of what the mask is called.
  std::uint32_t hash = 0x811c9dc5u;
  for (const char c : to_string(mask)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193u;
  return fmt::format("_sparse{}_{:04x}", static_cast<int>(std::floor(100 * sparsity)), (hash ^ hash >> 16) & 0xffffu);
}

std::string kept_rows_text(const InBlockPlan& plan) {
  std::string text;
  if (halves_rows(plan)) text += constant_line("int spectrum_tile_bytes", 512, "half a tile: 8 frequencies of a digit");
  if (plan.kept_rows.empty()) return text;
  const std::vector<int> dropped = dropped_rows(plan);
  text += fmt::format("\n// Of the rows by outer frequency the mask drops {}: they are not transformed.\n",
                      ranges_text(dropped));
  if (!has_columns(plan)) {
    text += place_function("factor_place", plan.kept_rows, Direction::to_place);
    if (!plan.real_filter()) text += place_function("kept_row", plan.kept_rows);
    text += "__device__ constexpr bool drops_row(int row) { return " + one_of("row", dropped) + "; }\n";
    return text;
  }
  text += place_function("kept_row", plan.kept_rows);
  std::vector<int> butterflies;
  for (int a = 0; a < plan.outer_butterfly; ++a)
    if (!keeps_butterfly(plan, a)) butterflies.push_back(a);
  if (!butterflies.empty())
    text += "__device__ constexpr bool drops_butterfly(int a) { return " + one_of("a", butterflies) + "; }\n";
  const std::vector<unsigned> values = dropped_tile_values(plan);
  if (!values.empty()) {
    text += "// Values of the tile digit, a bit each, whose rows are zero beside others that are transformed.\n";
    std::string terms;
    for (std::size_t a = 0; a + 1 < values.size(); ++a)
      if (values[a] != values.back()) terms += fmt::format("a == {} ? {:#x} : ", a, values[a]);
    text +=
        fmt::format("__device__ constexpr unsigned int dropped_values([[maybe_unused]] int a) {{ return {}{:#x}; }}\n",
                    terms, values.back());
  }
  return text;
}

}  // namespace ffc
