// Lists of digits for radices that were asked for.
#include "forced_radices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "column_digits.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "outer_digits.hpp"
#include "plan_limits.hpp"

namespace ffc {
namespace {

using List = std::vector<int>;

// Columns of that length in front of every list of rows.
void add_columns_and_rows(std::vector<List>& lists, const ColumnDigits& columns, std::int64_t points) {
  if (points % columns.length() != 0) return;
  for (const List& rows : tiled_radices(points / columns.length(), RowsOf::columns)) {
    List list = columns.radices();
    list.insert(list.end(), rows.begin(), rows.end());
    if (std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(std::move(list));
  }
}

// Every list of so many points that tiles, or columns and rows, can have.
std::vector<List> all_lists(std::int64_t points, int column_length) {
  if (column_length == 0 && points <= longest_tiled) return tiled_radices(points);
  std::vector<List> lists;
  const auto wanted = [&](int length) { return column_length == 0 || column_length == length; };
  for (const int length : column_lengths())
    if (wanted(length)) add_columns_and_rows(lists, *column_digits(length), points);
  for (const int length : cluster_lengths())
    if (wanted(length)) add_columns_and_rows(lists, *cluster_digits(length), points);
  return lists;
}

List radices_of(const Transform& plan) {
  List radices;
  for (const Digit& digit : plan.digits) radices.push_back(digit.radix);
  return radices;
}

// Each radix as the digits that compute it, which follow each other.
std::vector<List> split_in_order(const List& radices, const List& digits) {
  std::vector<List> parts;
  auto digit = digits.begin();
  for (int radix : radices)
    for (parts.emplace_back(); radix > 1; radix /= *digit++) parts.back().push_back(*digit);
  return parts;
}

// Each radix as the factors that it shares with the digits, which have the same product.
std::vector<List> common_factors(List radices, List digits) {
  std::vector<List> parts(radices.size());
  const auto share = [&](bool whole) {
    for (std::size_t i = 0; i < radices.size(); ++i)
      for (int& digit : digits) {
        const int common = std::gcd(radices[i], digit);
        if (common == 1 || (whole && (radices[i] != common || digit != common))) continue;
        parts[i].push_back(common);
        radices[i] /= common, digit /= common;
      }
  };
  share(true);
  share(false);
  return parts;
}

std::string spelled(const std::vector<List>& parts) {
  std::vector<std::string> words;
  for (const List& part : parts) words.push_back(fmt::format("{}", fmt::join(part, ".")));
  return fmt::format("{}", fmt::join(words, " x "));
}

}  // namespace

void leave_out_other_digits(std::vector<Plan>& plans, const ConvConfig& config) {
  if (config.radices.empty()) return;
  std::erase_if(plans, [&](const Plan& plan) {
    return !std::equal(plan->digits.begin(), plan->digits.end(), config.radices.begin(), config.radices.end(),
                       [](const Digit& digit, int radix) { return digit.radix == radix; });
  });
}

bool refines(const List& list, const List& asked) {
  std::size_t at = 0;
  for (const int radix : asked) {
    std::int64_t product = 1;
    while (product < radix && at < list.size()) product *= list[at++];
    if (product != radix) return false;
  }
  return at == list.size();
}

std::string reading_of(const List& radices, const Transform& plan) {
  const List digits = radices_of(plan);
  if (radices.empty() || digits == radices) return {};
  const std::string asked = fmt::format("{}", fmt::join(radices, " x "));
  const std::string computed = fmt::format("{}", fmt::join(digits, " x "));
  if (product_of(digits) != product_of(radices))
    return fmt::format("{}, of which there are no gradients, folded into {}", asked, computed);
  if (refines(digits, radices)) return fmt::format("{} as {}", asked, spelled(split_in_order(radices, digits)));
  const std::string factors = spelled(common_factors(radices, digits));
  return fmt::format("{}{}, computed as {}", asked, factors == asked ? "" : " as " + factors, computed);
}

std::vector<std::vector<List>> lists_for_radices(const ConvConfig& config) {
  std::vector<List> refining;
  for (List& list : all_lists(product_of(config.radices), config.column_length))
    if (list != config.radices && refines(list, config.radices)) refining.push_back(std::move(list));
  return {{config.radices}, std::move(refining), {List()}};
}

}  // namespace ffc
