// The plans of a config, cheapest first.
#pragma once

#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// Every plan worth considering for a normalised config, cheapest first; never empty. Throws ConfigError where the
/// forced radices or the arch's shared memory leave none.
[[nodiscard]] std::vector<Plan> make_plans(const ConvConfig& config);

/// As make_plans, but empty where there is no plan.
[[nodiscard]] std::vector<Plan> find_plans(const ConvConfig& config);

/// With Scaling::found: whether the plan's own kernel finds how large its rows are. It does where a block holds them as
/// 16 x 16 tiles, in bf16 and forward.
[[nodiscard]] bool finds_magnitudes(const ConvConfig& config, const Plan& plan);

/// What plan and kernel are made from where it does not: magnitudes are lent to it, by another kernel.
[[nodiscard]] ConvConfig as_given(ConvConfig config);

}  // namespace ffc
