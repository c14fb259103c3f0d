// What a mask of frequencies leaves of a plan's digits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// Rows of frequencies up to R / 2 that one product of columns makes: those of a matrix.
inline constexpr std::size_t most_contracted = 16;

/// Of the tiled family: row `row` of the middle stage, by outer frequency, is transformed.
[[nodiscard]] bool keeps_row(const InBlockPlan& plan, int row);
/// Tiled family: some row of that value of the butterfly digit, as a frequency, is transformed.
[[nodiscard]] bool keeps_butterfly(const InBlockPlan& plan, int value);
/// Rows by outer frequency that are not transformed, in order.
[[nodiscard]] std::vector<int> dropped_rows(const InBlockPlan& plan);
/// For each value of the butterfly digit, as a frequency, the values of the tile digit whose rows are dropped, a bit
/// each; 0 where all are, which need not be written at all. Empty where it would hold zeros alone.
[[nodiscard]] std::vector<unsigned> dropped_tile_values(const InBlockPlan& plan);

/// How many rows the spectrum of columns and rows has: frequencies up to R / 2 of the columns, the others being their
/// mirrors; at a right angle all.
[[nodiscard]] int spectrum_rows(const ColumnsAndRowsPlan& plan);
[[nodiscard]] int spectrum_rows(int column_length, Packing packing);
/// Those that a mask keeps.
[[nodiscard]] std::vector<int> spectrum_columns(const FourStepPlan& plan);
/// Rows of frequencies in the workspace of a split plan: R without those that are dropped.
[[nodiscard]] int workspace_rows(const FourStepPlan& plan);
/// Those that a place of the ring holds: half of them where a row's mirrors are left out.
[[nodiscard]] int place_rows(const FourStepPlan& plan);
/// Blocks of 16 rows of frequencies, a bit each, that columns make: those of which any row is kept. Columns with two
/// digits of products make all.
[[nodiscard]] unsigned kept_blocks(const FourStepPlan& plan);
/// What a mask leaves the columns to do.
enum class ColumnsLeft {
  all,         ///< no row of frequencies is dropped
  rows,        ///< all work, but what is dropped is not stored
  blocks,      ///< without blocks of which no row is kept
  one_product  ///< so few rows are kept that one product makes them from a column's samples, and samples from them
};
[[nodiscard]] ColumnsLeft columns_left(const FourStepPlan& plan);

/// What is left out, in words: one line for each kind.
[[nodiscard]] std::vector<std::string> skipped_work(const Plan& plan);

}  // namespace ffc
