// How texts name the steps of a plan: by their numbers in its list, from 1.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// "step 3: exchange through shared memory".
[[nodiscard]] std::string numbered_step(const Transform& plan, std::size_t step);

/// "step 2", "steps 2 to 4", "steps 2, 4 and 5"; empty of none.
[[nodiscard]] std::string step_numbers(std::vector<std::size_t> steps);

/// Those steps, and the same ones of the plan's other tensor: where both have one text.
[[nodiscard]] std::vector<std::size_t> of_both_tensors(const Transform& plan, const std::vector<std::size_t>& steps);

}  // namespace ffc
