// The rows of columns and rows as statements.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// All rows of frequencies of a complex row, in the workspace or in the blocks of a cluster: those of one block, with
/// the twiddle between columns and rows, and with waits for the columns and the count of what is done around them.
/// `row_count`: of those that a mask keeps.
[[nodiscard]] Statement lower_inner_rows(const ConvConfig& config, const ColumnsAndRowsPlan& plan, int row_count);

/// Of these, what stands between those waits and that count: what one row's text is printed of.
[[nodiscard]] std::vector<Statement> lower_inner_row(const ConvConfig& config, const ColumnsAndRowsPlan& plan,
                                                     int row_count);

}  // namespace ffc
