// The rows of a split plan that makes gradients: u's row and dy's, together or one after the other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The rows, `plan` being that of a row of a backward plan: as emit_inner_rows.
[[nodiscard]] EmittedHalf emit_gradient_rows(const ConvConfig& config, const InBlockPlan& plan,
                                             const std::vector<Statement>& statements);

}  // namespace ffc
