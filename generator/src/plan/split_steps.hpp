// Digits and steps of columns and rows.
#pragma once

#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// Digits and steps of a split or cluster plan whose columns and rows are known.
[[nodiscard]] std::vector<Digit> split_digits(const Plan& plan);

[[nodiscard]] std::vector<Step> split_steps(const Plan& plan);

}  // namespace ffc
