// The middle stage of a kernel with a column stage.
#pragma once

#include "ffc/generator/plan.hpp"
#include "statement.hpp"
#include "text.hpp"

namespace ffc {

/// The middle stage of a kernel with a column stage, as lower_rows makes it; `turn` of a backward plan says on which
/// tensors.
void emit_rows(TextWriter& out, const InBlockPlan& plan, Turn turn, const Statement& stage);

/// The lambda that finds a row in the rows at `rows_at`.
void emit_row_address(TextWriter& out, const InBlockPlan& plan);

}  // namespace ffc
