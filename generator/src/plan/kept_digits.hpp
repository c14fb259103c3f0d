// What a mask of frequencies leaves of a plan's digits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// What a mask leaves of the rows of frequencies of a split plan.
struct RowsLeft {
  double share;  ///< of the work on them, 1 being all: the part of the rows that are kept, times the part of their rows
                 ///< of 256, and less where half of a product's values are left
  bool few;      ///< one product can make all of them
};
/// Columns being of `column_length`, where `kept` says which frequencies are kept (kept_frequencies).
[[nodiscard]] RowsLeft rows_left(const std::vector<std::uint8_t>& kept, int column_length);

/// Puts into the plan, and into that of its rows, what it need not compute: kept_columns, kept_rows, kept_inner,
/// kept_last, and the memory map without them. `kept` says which frequencies are kept (kept_frequencies).
void leave_out_dropped(Plan& plan, const ConvConfig& config, const std::vector<std::uint8_t>& kept);

/// Of the tiled family: row `row` of the middle stage, by outer frequency, is transformed.
[[nodiscard]] bool keeps_row(const Plan& plan, int row);
/// Tiled family: some row of that value of the butterfly digit, as a frequency, is transformed.
[[nodiscard]] bool keeps_butterfly(const Plan& plan, int value);
/// Rows by outer frequency that are not transformed, in order.
[[nodiscard]] std::vector<int> dropped_rows(const Plan& plan);
/// For each value of the butterfly digit, as a frequency, the values of the tile digit whose rows are dropped, a bit
/// each; 0 where all are, which need not be written at all. Empty where it would hold zeros alone.
[[nodiscard]] std::vector<unsigned> dropped_tile_values(const Plan& plan);

/// Rows of the spectrum of a split plan, frequencies up to R / 2 of the columns.
[[nodiscard]] std::vector<int> spectrum_columns(const Plan& plan);
/// Rows of frequencies in the workspace of a split plan: R without those that are dropped.
[[nodiscard]] int workspace_rows(const Plan& plan);
/// Those that a place of the ring holds: half of them where a row's mirrors are left out.
[[nodiscard]] int place_rows(const Plan& plan);
/// Blocks of 16 rows of frequencies, a bit each, that columns make: those of which any row is kept. Columns with two
/// digits of products make all.
[[nodiscard]] unsigned kept_blocks(const Plan& plan);
/// So few rows of frequencies are kept that one product makes all of them from a column's samples, and samples from
/// them.
[[nodiscard]] bool contracts_kept(const Plan& plan);
/// Whether such blocks are left out, by columns that do not.
[[nodiscard]] bool drops_blocks(const Plan& plan);

/// The inner digits' products are halved.
[[nodiscard]] inline bool halves_rows(const Plan& plan) { return !plan.kept_inner.empty() || !plan.kept_last.empty(); }

/// What is left out, in words: one line for each kind.
[[nodiscard]] std::vector<std::string> skipped_work(const Plan& plan);

}  // namespace ffc
