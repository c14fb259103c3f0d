// The stage along rows of 256, as statements.
#pragma once

#include <vector>

#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// A row's outer twiddle and, where it is multiplied in, the spectrum, `times` of them. Fractional rows fetch what else
/// they take beside their products.
[[nodiscard]] std::vector<Statement> row_factors(const InBlockPlan& plan, bool with_spectrum, double times);

/// The outer twiddle of a longer transform's rows is made by the block, not read.
[[nodiscard]] bool is_made(const InBlockPlan& plan, Operand factor);

/// Factors that come from global memory are asked for one row ahead.
[[nodiscard]] bool is_early(const InBlockPlan& plan, const Statement& factor);

/// The middle stage of a turn, between two stages down the columns.
[[nodiscard]] Statement lower_rows(const InBlockPlan& plan, Turn turn);

}  // namespace ffc
