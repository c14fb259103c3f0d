// Predicted time of a plan.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Fills in what one pair of rows costs on a whole H200: the paper's matrix and memory terms (section 3.2), extended by
/// general instructions and shared-memory traffic (README.md, "The cost model").
[[nodiscard]] Cost predict_cost(const Plan& plan, const ConvConfig& config);

/// The time of 64 rows of 768 channels, or of as many rows as the config hints at, over the time to copy the same
/// bytes, launches and all, as the benchmark measures both.
[[nodiscard]] double predict_ratio(const Cost& cost, const ConvConfig& config);

}  // namespace ffc
