// What a mask of frequencies leaves out of a plan's statements.
#pragma once

#include <vector>

#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The positions of a pair's tensor, a digit's value times its stride each, that a statement leaves out, or loses: a
/// loop's dropped values on entry, those that are cleared, the frequencies that half a product does not make. Empty:
/// none.
[[nodiscard]] std::vector<bool> left_out(const InBlockPlan& plan, const Statement& statement);

/// The same of a longer transform: rows of frequencies that columns do not store, and what its rows leave out.
[[nodiscard]] std::vector<bool> left_out_of_columns(const FourStepPlan& plan, const Statement& statement);
[[nodiscard]] std::vector<bool> left_out_of_rows(const FourStepPlan& plan, const Statement& statement);

}  // namespace ffc
