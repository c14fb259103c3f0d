// Which lengths a block has as tiles: the outer digits around the 16 x 16 of a row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ffc/generator/conv_config.hpp"

namespace ffc {

/// The outer digits of a tiled plan: a butterfly in the register index and a product down the columns; 1 where absent.
struct OuterDigits {
  int butterfly = 1;
  int tile = 1;
};

/// Whose rows: a block's own, or those of columns and rows. Of these less accuracy is promised, so that they may have
/// butterflies of 5, 6 and 7 beside a product of 8.
enum class RowsOf { block, columns };

/// All ways to write M / 256 as outer digits; empty where M is no length of this family.
[[nodiscard]] std::vector<OuterDigits> outer_digits(std::int64_t transform_length, RowsOf rows = RowsOf::block);

/// The outer digits that a forced list of radices spells, if it spells a tiled plan.
[[nodiscard]] std::vector<OuterDigits> outer_digits(const std::vector<int>& radices, RowsOf rows = RowsOf::block);

/// Every list of radices that spells a tiled plan of so many points; empty where there is none.
[[nodiscard]] std::vector<std::vector<int>> tiled_radices(std::int64_t transform_length, RowsOf rows = RowsOf::block);

/// Whether one of them is of rows or windows that can go alone: those begin with a product of more than 8 down the
/// columns.
[[nodiscard]] bool begins_with_tile(const std::vector<OuterDigits>& outer);

/// What is wrong with forced radices of whose points there is no tiled plan, and of which there is: "13x7, of 91
/// points; they must be ...". Empty where there is one.
[[nodiscard]] std::string radices_refusal(const std::vector<int>& radices);

/// Of radices from 2 on; past longest_split no further.
[[nodiscard]] std::int64_t product_of(const std::vector<int>& radices);

/// Forced radices have a product of half of fft_length, for which there are tiles or columns and rows: those of a
/// transform of one row or window at frequencies k + 1/4.
[[nodiscard]] bool spells_right_angle(const ConvConfig& config);

}  // namespace ffc
