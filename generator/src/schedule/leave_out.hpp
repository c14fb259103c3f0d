// Puts into a plan what a mask of frequencies leaves of its digits.
#pragma once

#include <cstdint>
#include <vector>

#include "ffc/generator/conv_config.hpp"
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

}  // namespace ffc
