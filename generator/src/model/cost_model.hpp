// Predicted time of a plan.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Fills in what one pair of rows costs on a whole H200: the paper's matrix and memory terms (section 3.2), extended by
/// general instructions and shared-memory traffic (README.md, "The cost model").
[[nodiscard]] Cost predict_cost(const Plan& plan, const ConvConfig& config);

}  // namespace ffc
