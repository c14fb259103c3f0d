// The plans of a config, cheapest first.
#pragma once

#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// Every plan worth considering for a normalised config, cheapest first, but the config's `runner_up` ahead of it;
/// never empty. Throws ConfigError where the forced radices or the arch's shared memory leave none, or not so many.
[[nodiscard]] std::vector<Plan> make_plans(const ConvConfig& config);

/// As make_plans, but empty where there is no plan.
[[nodiscard]] std::vector<Plan> find_plans(const ConvConfig& config);

}  // namespace ffc
