// Digits and steps of columns and rows.
#pragma once

#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// Digits and steps of a plan whose columns and rows are known; `level` is what lies between columns and rows.
[[nodiscard]] std::vector<Digit> split_digits(const FourStepPlan& plan);

[[nodiscard]] std::vector<Step> split_steps(const FourStepPlan& plan, Level level);

}  // namespace ffc
