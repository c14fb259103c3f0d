// The stages down the columns of a real row, as statements.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// lower_columns of a plan whose rows are real.
[[nodiscard]] Statement lower_real_columns(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor,
                                           bool inverse);

}  // namespace ffc
