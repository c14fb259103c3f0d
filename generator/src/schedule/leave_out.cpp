// Which values of the digits hold anything that a mask keeps.
#include "leave_out.hpp"

#include <algorithm>
#include <memory>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/plan.hpp"
#include "kept_digits.hpp"
#include "shared_map.hpp"
#include "split_shape.hpp"
#include "split_times.hpp"

namespace ffc {

namespace {

constexpr int tile = 16;
constexpr int half_tile = 8;

// Values of the four kinds of digits, k = column + R (row + rows (inner + 16 last)), that hold kept frequencies.
struct Alive {
  std::vector<std::uint8_t> columns, rows, inner, last;
};

// Of the frequencies whose factors are stored: those of columns up to R / 2, or of a real filter's rows up to rows / 2.
Alive alive_values(const std::vector<std::uint8_t>& kept, int columns, int rows) {
  Alive alive{std::vector<std::uint8_t>(static_cast<std::size_t>(columns)),
              std::vector<std::uint8_t>(static_cast<std::size_t>(rows)), std::vector<std::uint8_t>(tile),
              std::vector<std::uint8_t>(tile)};
  const std::size_t step = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  for (std::size_t outer = 0; outer < step; ++outer) {
    const std::size_t column = outer % static_cast<std::size_t>(columns);
    const std::size_t row = outer / static_cast<std::size_t>(columns);
    const bool stored =
        columns > 1 ? 2 * column <= static_cast<std::size_t>(columns) : 2 * row <= static_cast<std::size_t>(rows);
    for (std::size_t i = 0; i < tile * tile; ++i) {
      if (kept[outer + step * i] == 0) continue;
      alive.columns[column] = 1;
      if (!stored) continue;
      alive.rows[row] = alive.inner[i % tile] = alive.last[i / tile] = 1;
    }
  }
  return alive;
}

std::vector<int> values_of(const std::vector<std::uint8_t>& alive) {
  std::vector<int> values;
  for (std::size_t value = 0; value < alive.size(); ++value)
    if (alive[value] != 0) values.push_back(static_cast<int>(value));
  return values;
}

// Empty where nothing is dropped.
std::vector<int> values_unless_all(const std::vector<std::uint8_t>& alive) {
  std::vector<int> values = values_of(alive);
  return values.size() == alive.size() ? std::vector<int>() : values;
}

// Eight values that hold all that is alive, in order; empty where more are alive.
std::vector<int> half_of(const std::vector<std::uint8_t>& alive) {
  std::vector<int> values = values_of(alive);
  for (int value = 0; static_cast<int>(values.size()) < half_tile; ++value)
    if (alive[static_cast<std::size_t>(value)] == 0) values.push_back(value);
  std::sort(values.begin(), values.end());
  return values.size() > half_tile ? std::vector<int>() : values;
}

// Rows 0 and rows / 2 are one couple.
void couple_self_mirrors(std::vector<std::uint8_t>& rows) {
  const std::size_t half = rows.size() / 2;
  if (rows.size() % 2 == 0) rows[0] = rows[half] = rows[0] | rows[half];
}

void drop_in_rows(InBlockPlan& plan, const ConvConfig& config, Alive alive) {
  if (plan.real_filter()) {
    if (plan.outer_tile > 1) couple_self_mirrors(alive.rows);
    alive.rows.resize(alive.rows.size() / 2 + 1);
  }
  plan.kept_rows = values_unless_all(alive.rows);
  // Factors that are applied in fp32 come with whole tiles alone; halving both digits is not worth a third kind.
  if (plan.fused_factors == 0) {
    plan.kept_inner = half_of(alive.inner);
    if (plan.kept_inner.empty()) plan.kept_last = half_of(alive.last);
  }
  map_shared(plan, config);
}

}  // namespace

RowsLeft rows_left(const std::vector<std::uint8_t>& kept, int column_length) {
  const Alive alive = alive_values(kept, column_length, static_cast<int>(kept.size()) / column_length / (tile * tile));
  const auto share = [](const std::vector<std::uint8_t>& values) {
    return static_cast<double>(std::count(values.begin(), values.end(), 1)) / static_cast<double>(values.size());
  };
  const bool halved = !half_of(alive.inner).empty() || !half_of(alive.last).empty();
  // A row and its mirror count once.
  const auto rows = std::count(alive.columns.begin(), alive.columns.begin() + column_length / 2 + 1, 1);
  return {share(alive.columns) * share(alive.rows) * (halved ? measured::halved_row : 1),
          rows <= static_cast<std::ptrdiff_t>(most_contracted)};
}

void leave_out_dropped(Plan& plan, const ConvConfig& config, const std::vector<std::uint8_t>& kept) {
  plan->sparsity = 1 - static_cast<double>(std::count(kept.begin(), kept.end(), 1)) / static_cast<double>(kept.size());
  if (auto* const in_block = plan.as<InBlockPlan>())
    drop_in_rows(*in_block, config, alive_values(kept, 1, in_block->rows()));
  auto* const split = plan.as<FourStepPlan>();
  if (split == nullptr) return;
  const Alive alive = alive_values(kept, split->columns.length(), split->row_plan.rows());
  split->kept_columns = values_unless_all(alive.columns);
  drop_in_rows(split->row_plan, row_config(config, *split), alive);
}

}  // namespace ffc
