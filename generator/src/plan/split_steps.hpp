// Digits and steps of columns and rows.
#pragma once

#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// Those of columns, of these radices, and of rows.
[[nodiscard]] std::vector<Digit> split_digits(std::vector<int> column_radices, const InBlockPlan& rows);

/// The steps of a plan whose digits and rows are known. The first `products` digits of the columns are contracted, the
/// other is a butterfly; `level` is what lies between columns and rows.
[[nodiscard]] std::vector<Step> split_steps(const ColumnsAndRowsPlan& plan, int products, Level level);

}  // namespace ffc
