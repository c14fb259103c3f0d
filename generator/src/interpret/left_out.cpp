// Dropped rows of 256, values of the butterfly digit, and values of a row's digits.
#include "left_out.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "statement.hpp"

namespace ffc {
namespace {

template <class Dropped>
std::vector<bool> positions_where(const InBlockPlan& plan, const Dropped& dropped) {
  std::vector<bool> positions(static_cast<std::size_t>(plan.transform_length));
  for (std::size_t at = 0; at < positions.size(); ++at) positions[at] = dropped(static_cast<std::int64_t>(at));
  return positions;
}

std::int64_t value_at(std::int64_t position, const Digit& digit) { return position / digit.stride % digit.radix; }

// The row of 256, by the frequency that its outer digits are by then.
int row_at(const InBlockPlan& plan, std::int64_t position) {
  std::int64_t row = 0;
  for (std::size_t digit = 0; digit + 2 < plan.digits.size(); ++digit)
    row += value_at(position, plan.digits[digit]) * plan.digits[digit].weight;
  return static_cast<int>(row);
}

std::vector<bool> dropped_by_loop(const InBlockPlan& plan, bool whole_rows) {
  if (whole_rows)
    return positions_where(plan, [&](std::int64_t position) { return !keeps_row(plan, row_at(plan, position)); });
  const Digit& butterfly = plan.digits[plan.tile_first() ? 1 : 0];
  return positions_where(plan, [&](std::int64_t position) {
    return !keeps_butterfly(plan, static_cast<int>(value_at(position, butterfly)));
  });
}

// Of a row's digit.
std::vector<bool> not_made(const InBlockPlan& plan, int digit) {
  const bool last = static_cast<std::size_t>(digit) + 1 == plan.digits.size();
  const std::vector<int>& kept = last ? plan.kept_last : plan.kept_inner;
  if (kept.empty()) return {};
  return positions_where(plan, [&](std::int64_t position) {
    return std::count(kept.begin(), kept.end(), value_at(position, plan.digits[static_cast<std::size_t>(digit)])) == 0;
  });
}

}  // namespace

std::vector<bool> left_out(const InBlockPlan& plan, const Statement& statement) {
  if (statement.inverse) return {};
  if (statement.operation == Operation::clear) return dropped_by_loop(plan, true);
  if (statement.operation == Operation::repeat && statement.turns == Turns::kept)
    return dropped_by_loop(plan, statement.loop == Loop::values);
  if (statement.operation == Operation::contract && statement.to == Shape::half) return not_made(plan, statement.digit);
  return {};
}

std::vector<bool> left_out_of_columns(const FourStepPlan& plan, const Statement& statement) {
  if (statement.operation != Operation::store || statement.inverse || plan.kept_columns.empty()) return {};
  std::vector<bool> positions(static_cast<std::size_t>(plan.transform_length));
  const std::size_t column_digits = plan.columns.radices().size();
  for (std::size_t at = 0; at < positions.size(); ++at) {
    std::int64_t frequency = 0;
    for (std::size_t digit = 0; digit < column_digits; ++digit)
      frequency += value_at(static_cast<std::int64_t>(at), plan.digits[digit]) * plan.digits[digit].weight;
    positions[at] = !std::binary_search(plan.kept_columns.begin(), plan.kept_columns.end(), frequency);
  }
  return positions;
}

std::vector<bool> left_out_of_rows(const FourStepPlan& plan, const Statement& statement) {
  const std::vector<bool> of_row = left_out(plan.row_plan, statement);
  if (of_row.empty()) return {};
  std::vector<bool> positions(static_cast<std::size_t>(plan.transform_length));
  for (std::size_t at = 0; at < positions.size(); ++at) positions[at] = of_row[at % of_row.size()];
  return positions;
}

}  // namespace ffc
