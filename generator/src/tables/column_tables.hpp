// Matrices of the products down a split plan's columns.
#pragma once

#include <cstdint>
#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// What keeps values at their size on the way there and, again, on the way back: of the matrices of each product.
struct ColumnScales {
  double first = 1, second = 1;
};
[[nodiscard]] ColumnScales column_scales(const ColumnShape& columns);

/// In words: ColumnMatrix for ColumnMatrix (contract_columns.cuh), those of the first products, then of the second.
[[nodiscard]] std::vector<std::uint32_t> column_tables(const FourStepPlan& plan, const ColumnScales& scales,
                                                       bool inverse);

}  // namespace ffc
