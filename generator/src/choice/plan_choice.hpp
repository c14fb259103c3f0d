// The plans of a config, where there are some.
#pragma once

#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// As make_plans, but empty where there is no plan.
[[nodiscard]] std::vector<Plan> find_plans(const ConvConfig& config);

}  // namespace ffc
