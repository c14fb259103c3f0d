// Which values of a plan's digits hold anything that a mask keeps.
#include "kept_digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "mask_text.hpp"
#include "split_plan.hpp"
#include "tiled_plan.hpp"

namespace ffc {
namespace {

constexpr int tile = 16;
constexpr int half_tile = 8;
constexpr std::size_t most_contracted = 16;  // rows of frequencies up to R / 2, those of a matrix
constexpr double halved_row = 0.75;          // of the work on a row, with half of the values of one of its products

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

unsigned all_blocks(const Plan& plan) { return (1U << plan.columns.butterfly) - 1; }

// Rows 0 and rows / 2 are one couple.
void couple_self_mirrors(std::vector<std::uint8_t>& rows) {
  const std::size_t half = rows.size() / 2;
  if (rows.size() % 2 == 0) rows[0] = rows[half] = rows[0] | rows[half];
}

void drop_in_rows(Plan& plan, const ConvConfig& config, Alive alive) {
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
  return {share(alive.columns) * share(alive.rows) * (halved ? halved_row : 1),
          rows <= static_cast<std::ptrdiff_t>(most_contracted)};
}

void leave_out_dropped(Plan& plan, const ConvConfig& config, const std::vector<std::uint8_t>& kept) {
  plan.sparsity = 1 - static_cast<double>(std::count(kept.begin(), kept.end(), 1)) / static_cast<double>(kept.size());
  if (plan.family == Family::tiled) drop_in_rows(plan, config, alive_values(kept, 1, plan.rows()));
  if (plan.family != Family::split) return;
  Plan rows = *plan.row_plan;
  const Alive alive = alive_values(kept, plan.columns.length(), rows.rows());
  plan.kept_columns = rows.kept_columns = values_unless_all(alive.columns);
  drop_in_rows(rows, row_config(config, plan), alive);
  plan.row_plan = std::make_shared<const Plan>(std::move(rows));
}

bool keeps_row(const Plan& plan, int row) {
  if (plan.kept_rows.empty()) return true;
  const int factors = plan.real_filter() ? std::min(row, plan.rows() - row) : row;
  return std::binary_search(plan.kept_rows.begin(), plan.kept_rows.end(), factors);
}

bool keeps_butterfly(const Plan& plan, int value) {
  for (int row = 0; row < plan.rows(); ++row) {
    const int of_row = plan.tile_first() ? row / plan.outer_tile : row % plan.outer_butterfly;
    if (of_row == value && keeps_row(plan, row)) return true;
  }
  return false;
}

std::vector<int> dropped_rows(const Plan& plan) {
  std::vector<int> rows;
  for (int row = 0; row < plan.rows(); ++row)
    if (!keeps_row(plan, row)) rows.push_back(row);
  return rows;
}

std::vector<unsigned> dropped_tile_values(const Plan& plan) {
  if (plan.outer_tile == 1) return {};
  std::vector<unsigned> values(static_cast<std::size_t>(plan.outer_butterfly), 0);
  bool any = false;
  for (const int row : dropped_rows(plan)) {
    const int butterfly = plan.tile_first() ? row / plan.outer_tile : row % plan.outer_butterfly;
    const int value = plan.tile_first() ? row % plan.outer_tile : row / plan.outer_butterfly;
    if (!keeps_butterfly(plan, butterfly)) continue;
    values[static_cast<std::size_t>(butterfly)] |= 1U << value;
    any = true;
  }
  return any ? values : std::vector<unsigned>();
}

std::vector<int> spectrum_columns(const Plan& plan) {
  std::vector<int> columns;
  const int last = plan.quarters ? plan.columns.length() - 1 : plan.columns.length() / 2;
  for (int column = 0; column <= last; ++column)
    if (plan.kept_columns.empty() || std::binary_search(plan.kept_columns.begin(), plan.kept_columns.end(), column))
      columns.push_back(column);
  return columns;
}

int workspace_rows(const Plan& plan) {
  return plan.kept_columns.empty() ? plan.columns.length() : static_cast<int>(plan.kept_columns.size());
}

int place_rows(const Plan& plan) { return workspace_rows(plan) / (plan.columns.single_rows ? 2 : 1); }

bool contracts_kept(const Plan& plan) {
  const ColumnShape& columns = plan.columns;
  if (plan.kept_columns.empty() || columns.products != 1 || columns.butterfly == 1) return false;
  if (columns.chunks < columns.warps || plan.rows_of_place() == 1) return false;
  if (halves_samples(plan) && columns.sections() % 2 != 0) return false;
  return spectrum_columns(plan).size() <= most_contracted;
}

unsigned kept_blocks(const Plan& plan) {
  if (plan.columns.products > 1 || plan.kept_columns.empty()) return all_blocks(plan);
  unsigned kept = 0;
  for (const int row : plan.kept_columns) kept |= 1U << (row / tile);
  return kept;
}

bool drops_blocks(const Plan& plan) { return !contracts_kept(plan) && kept_blocks(plan) != all_blocks(plan); }

namespace {

void add_rows(std::vector<std::string>& lines, const Plan& plan) {
  if (!plan.kept_rows.empty())
    lines.push_back(fmt::format("{} of {} rows of 256 by outer frequency: {}", dropped_rows(plan).size(), plan.rows(),
                                ranges_text(dropped_rows(plan))));
  const auto digit = [&](const std::vector<int>& kept, std::string_view name, std::string_view products) {
    if (!kept.empty())
      lines.push_back(fmt::format("half of the 16 x 16 tiles, whose {} digit is 16 values: kept are {}; {}", name,
                                  ranges_text(kept), products));
  };
  digit(plan.kept_inner, "second last", "all four products halve");
  digit(plan.kept_last, "last", "the products over it halve");
}

}  // namespace

std::vector<std::string> skipped_work(const Plan& plan) {
  std::vector<std::string> lines;
  if (plan.sparsity == 0) return lines;
  if (!plan.kept_columns.empty()) {
    std::vector<int> dropped;
    for (int column = 0; column < plan.columns.length(); ++column)
      if (!std::binary_search(plan.kept_columns.begin(), plan.kept_columns.end(), column)) dropped.push_back(column);
    lines.push_back(fmt::format("{} of {} rows of frequencies, in the workspace and behind it: {}", dropped.size(),
                                plan.columns.length(), ranges_text(dropped)));
  }
  if (plan.family == Family::split && contracts_kept(plan)) {
    lines.push_back(
        fmt::format("columns' twiddles and butterflies: in the place of their steps one product takes {} samples "
                    "to {} rows of frequencies and their mirrors, and back",
                    plan.columns.length(), spectrum_columns(plan).size()));
  } else if (plan.family == Family::split && drops_blocks(plan)) {
    std::vector<int> dropped;
    for (int block = 0; block < plan.columns.butterfly; ++block)
      if ((kept_blocks(plan) >> block & 1) == 0) dropped.push_back(block);
    lines.push_back(fmt::format("{} of {} blocks of 16 such rows, in the columns' butterflies: {}", dropped.size(),
                                plan.columns.butterfly, ranges_text(dropped)));
  }
  add_rows(lines, plan.row_plan ? *plan.row_plan : plan);
  if (lines.empty()) lines.emplace_back("nothing: no whole tile is dropped, and the spectrum is zero instead");
  return lines;
}

}  // namespace ffc
