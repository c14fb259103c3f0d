// From lengths and forced radices to outer digits.
#include "outer_digits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ffc/generator/conv_config.hpp"
#include "plan_limits.hpp"

namespace ffc {
namespace {

constexpr int row = 256;
constexpr int most_butterfly = 8;
constexpr int least_tile = 8;
constexpr int most_tile = 16;

bool is_butterfly(int radix) { return radix >= 1 && radix <= most_butterfly; }
bool is_tile(int radix) { return radix >= least_tile && radix <= most_tile; }

// Beside a column stage 5, 6 and 7 would cost more accuracy than the fused factors can give back.
bool is_column_butterfly(int radix) { return radix >= 1 && (radix <= 4 || radix == 8); }

}  // namespace

std::vector<OuterDigits> outer_digits(std::int64_t transform_length) {
  std::vector<OuterDigits> result;
  if (transform_length % row != 0) return result;
  const std::int64_t rows = transform_length / row;
  // Eight rows do better as a product of 8 down the columns: it rounds less, and holds 100 registers instead of 250.
  if (rows >= 1 && rows < most_butterfly) result.push_back({static_cast<int>(rows), 1});
  for (int tile = most_tile; tile >= least_tile; --tile)
    if (rows % tile == 0 && is_column_butterfly(static_cast<int>(rows / tile)))
      result.push_back({static_cast<int>(rows / tile), tile});
  return result;
}

std::vector<OuterDigits> outer_digits(const std::vector<int>& radices) {
  const std::size_t count = radices.size();
  if (count < 2 || count > 4 || radices[count - 1] != 16 || radices[count - 2] != 16) return {};
  if (count == 2) return {{1, 1}};
  std::vector<OuterDigits> result;
  if (count == 3 && is_butterfly(radices[0])) result.push_back({radices[0], 1});
  if (count == 3 && is_tile(radices[0])) result.push_back({1, radices[0]});
  if (count == 4 && is_column_butterfly(radices[0]) && radices[1] == 8) result.push_back({radices[0], 8});
  if (count == 4 && is_tile(radices[0]) && radices[0] != 8 && is_column_butterfly(radices[1]))
    result.push_back({radices[1], radices[0]});
  return result;
}

bool begins_with_tile(const std::vector<OuterDigits>& outer) {
  return std::any_of(outer.begin(), outer.end(), [](const OuterDigits& digits) { return digits.tile > least_tile; });
}

std::string radices_refusal(const std::vector<int>& radices) {
  if (!outer_digits(radices).empty()) return {};
  const std::size_t count = radices.size();
  const auto at = [&](std::size_t i) { return fmt::format("where {} at place {} is wrong", radices[i], i + 1); };
  const auto wrong = [&] {
    if (count < 2) return std::string("which are fewer than two");
    for (const std::size_t i : {count - 1, count - 2})
      if (radices[i] != 16) return at(i);
    if (count > 4) return fmt::format("where {} are in front of 16x16", count - 2);
    return at(count == 4 && !(radices[1] > 1 && is_column_butterfly(radices[1])) ? 1 : 0);
  };
  return fmt::format(
      "{}, {}; right are 16x16, alone or behind one of 2 to 16, or behind two, which are 9 to 16 and 2, 3, 4 or 8, or "
      "2, 3, 4 or 8 and 8",
      fmt::join(radices, "x"), wrong());
}

std::int64_t product_of(const std::vector<int>& radices) {
  std::int64_t product = 1;
  for (const int radix : radices)
    if (product <= longest_split) product *= radix;
  return product;
}

bool spells_right_angle(const ConvConfig& config) {
  if (config.pass != Pass::forward || config.padding == Padding::circular || config.column_length != 0) return false;
  const std::int64_t points = product_of(config.radices);
  return 2 * points == config.fft_length && (points > longest_tiled || !outer_digits(config.radices).empty());
}

}  // namespace ffc
