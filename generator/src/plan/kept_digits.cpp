// Which values of a plan's digits hold anything that a mask keeps.
#include "kept_digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/plan.hpp"
#include "ranges_text.hpp"
#include "split_shape.hpp"

namespace ffc {
namespace {

constexpr int tile = 16;

unsigned all_blocks(const FourStepPlan& plan) { return (1U << plan.columns.butterfly) - 1; }

}  // namespace

bool keeps_row(const InBlockPlan& plan, int row) {
  if (plan.kept_rows.empty()) return true;
  const int factors = plan.real_filter() ? std::min(row, plan.rows() - row) : row;
  return std::binary_search(plan.kept_rows.begin(), plan.kept_rows.end(), factors);
}

bool keeps_butterfly(const InBlockPlan& plan, int value) {
  for (int row = 0; row < plan.rows(); ++row) {
    const int of_row = plan.tile_first() ? row / plan.outer_tile : row % plan.outer_butterfly;
    if (of_row == value && keeps_row(plan, row)) return true;
  }
  return false;
}

std::vector<int> dropped_rows(const InBlockPlan& plan) {
  std::vector<int> rows;
  for (int row = 0; row < plan.rows(); ++row)
    if (!keeps_row(plan, row)) rows.push_back(row);
  return rows;
}

std::vector<unsigned> dropped_tile_values(const InBlockPlan& plan) {
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

int spectrum_rows(int column_length, Packing packing) {
  return packing == Packing::right_angle ? column_length : column_length / 2 + 1;
}

int spectrum_rows(const ColumnsAndRowsPlan& plan) { return spectrum_rows(plan.row_count(), plan.packing); }

std::vector<int> spectrum_columns(const FourStepPlan& plan) {
  std::vector<int> columns;
  for (int column = 0; column < spectrum_rows(plan); ++column)
    if (plan.kept_columns.empty() || std::binary_search(plan.kept_columns.begin(), plan.kept_columns.end(), column))
      columns.push_back(column);
  return columns;
}

int workspace_rows(const FourStepPlan& plan) {
  return plan.kept_columns.empty() ? plan.columns.length() : static_cast<int>(plan.kept_columns.size());
}

int place_rows(const FourStepPlan& plan) {
  return workspace_rows(plan) / (plan.packing == Packing::half_length ? 2 : 1);
}

namespace {

bool contracts_kept(const FourStepPlan& plan) {
  const ColumnShape& columns = plan.columns;
  if (plan.kept_columns.empty() || columns.products != 1 || columns.butterfly == 1) return false;
  if (columns.chunks < columns.warps || are_alone(plan.packing)) return false;
  if (halves_samples(plan) && columns.sections() % 2 != 0) return false;
  return spectrum_columns(plan).size() <= most_contracted;
}

}  // namespace

unsigned kept_blocks(const FourStepPlan& plan) {
  if (plan.columns.products > 1 || plan.kept_columns.empty()) return all_blocks(plan);
  unsigned kept = 0;
  for (const int row : plan.kept_columns) kept |= 1U << (row / tile);
  return kept;
}

ColumnsLeft columns_left(const FourStepPlan& plan) {
  if (plan.kept_columns.empty()) return ColumnsLeft::all;
  if (contracts_kept(plan)) return ColumnsLeft::one_product;
  return kept_blocks(plan) != all_blocks(plan) ? ColumnsLeft::blocks : ColumnsLeft::rows;
}

namespace {

void add_rows(std::vector<std::string>& lines, const InBlockPlan& plan) {
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

void add_columns(std::vector<std::string>& lines, const FourStepPlan& plan) {
  if (plan.kept_columns.empty()) return;
  std::vector<int> dropped;
  for (int column = 0; column < plan.columns.length(); ++column)
    if (!std::binary_search(plan.kept_columns.begin(), plan.kept_columns.end(), column)) dropped.push_back(column);
  lines.push_back(fmt::format("{} of {} rows of frequencies, in the workspace and behind it: {}", dropped.size(),
                              plan.columns.length(), ranges_text(dropped)));
  const ColumnsLeft left = columns_left(plan);
  if (left == ColumnsLeft::one_product) {
    lines.push_back(
        fmt::format("columns' twiddles and butterflies: in the place of their steps one product takes {} samples "
                    "to {} rows of frequencies and their mirrors, and back",
                    plan.columns.length(), spectrum_columns(plan).size()));
  } else if (left == ColumnsLeft::blocks) {
    std::vector<int> blocks;
    for (int block = 0; block < plan.columns.butterfly; ++block)
      if ((kept_blocks(plan) >> block & 1) == 0) blocks.push_back(block);
    lines.push_back(fmt::format("{} of {} blocks of 16 such rows, in the columns' butterflies: {}", blocks.size(),
                                plan.columns.butterfly, ranges_text(blocks)));
  }
}

}  // namespace

std::vector<std::string> skipped_work(const Plan& plan) {
  std::vector<std::string> lines;
  if (plan->sparsity == 0) return lines;
  if (const auto* const split = plan.as<FourStepPlan>()) add_columns(lines, *split);
  if (const auto* const split = plan.columns_and_rows()) add_rows(lines, split->row_plan);
  if (const auto* const in_block = plan.as<InBlockPlan>()) add_rows(lines, *in_block);
  if (lines.empty()) lines.emplace_back("nothing: no whole tile is dropped, and the spectrum is zero instead");
  return lines;
}

}  // namespace ffc
