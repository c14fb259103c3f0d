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

// Beside a column stage 5, 6 and 7 would cost a block's rows more accuracy than the fused factors can give back; 5 with
// a first stage in fp32 does not.
bool is_column_butterfly(int radix, int tile, RowsOf rows) {
  if (radix >= 1 && (radix <= 4 || radix == 8)) return true;
  if (rows == RowsOf::block && radix == 5 && tile == most_tile) return true;
  return rows == RowsOf::columns && tile == least_tile && is_butterfly(radix);
}

}  // namespace

std::vector<OuterDigits> outer_digits(std::int64_t transform_length, RowsOf rows_of) {
  std::vector<OuterDigits> result;
  if (transform_length % row != 0) return result;
  const std::int64_t rows = transform_length / row;
  // Eight rows do better as a product of 8 down the columns: it rounds less, and holds 100 registers instead of 250.
  if (rows >= 1 && rows < most_butterfly) result.push_back({static_cast<int>(rows), 1});
  for (int tile = most_tile; tile >= least_tile; --tile)
    if (rows % tile == 0 && is_column_butterfly(static_cast<int>(rows / tile), tile, rows_of))
      result.push_back({static_cast<int>(rows / tile), tile});
  return result;
}

std::vector<OuterDigits> outer_digits(const std::vector<int>& radices, RowsOf rows) {
  const std::size_t count = radices.size();
  if (count < 2 || count > 4 || radices[count - 1] != 16 || radices[count - 2] != 16) return {};
  if (count == 2) return {{1, 1}};
  std::vector<OuterDigits> result;
  if (count == 3 && is_butterfly(radices[0])) result.push_back({radices[0], 1});
  if (count == 3 && is_tile(radices[0])) result.push_back({1, radices[0]});
  if (count == 4 && is_column_butterfly(radices[0], radices[1], rows) && radices[1] == 8)
    result.push_back({radices[0], 8});
  if (count == 4 && is_tile(radices[0]) && radices[0] != 8 && is_column_butterfly(radices[1], radices[0], rows))
    result.push_back({radices[1], radices[0]});
  return result;
}

std::vector<std::vector<int>> tiled_radices(std::int64_t transform_length, RowsOf rows_of) {
  std::vector<std::vector<int>> lists;
  if (transform_length % row != 0 || transform_length > longest_tiled) return lists;
  const auto add_before_row = [&](std::vector<int> radices) {
    radices.insert(radices.end(), {16, 16});
    if (!outer_digits(radices, rows_of).empty()) lists.push_back(std::move(radices));
  };
  const int rows = static_cast<int>(transform_length / row);
  if (rows == 1) add_before_row({});
  if (rows > 1) add_before_row({rows});
  for (int first = 2; first <= most_tile; ++first)
    if (rows % first == 0 && rows / first > 1) add_before_row({first, rows / first});
  return lists;
}

bool begins_with_tile(const std::vector<OuterDigits>& outer) {
  return std::any_of(outer.begin(), outer.end(), [](const OuterDigits& digits) { return digits.tile > least_tile; });
}

std::string radices_refusal(const std::vector<int>& radices) {
  const std::int64_t product = product_of(radices);
  if (!tiled_radices(product).empty()) return {};
  return fmt::format(
      "{}, of {} points; they must be {} times 1 to 16, or times 8 to 16 and 2, 3, 4 or 8, or 16 and 5, and at most {}",
      fmt::join(radices, "x"), product, row, longest_tiled);
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
  return 2 * points == config.fft_length && (points > longest_tiled || !outer_digits(points).empty());
}

}  // namespace ffc
