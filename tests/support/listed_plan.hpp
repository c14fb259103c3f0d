// Plans of the general family by their digits, and lists of steps that are changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "steps.hpp"

namespace ffc::test {

/// Of `length` samples, 0: as many as the digits make.
inline Plan general_plan(const std::vector<int>& radices, std::int64_t length = 0) {
  MixedRadixPlan plan;
  plan.digits = make_digits(radices);
  plan.transform_length = plan.digits.front().radix * plan.digits.front().stride;
  plan.length = length == 0 ? plan.transform_length : length;
  plan.steps = general_steps(plan);
  return plan;
}

inline void erase_step(Plan& plan, std::size_t index) {
  plan->steps.erase(plan->steps.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace ffc::test
