// The numbers of steps in comments, headers and reports.
#include "step_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ffc/generator/plan.hpp"
#include "plan_steps.hpp"

namespace ffc {

std::string numbered_step(const Transform& plan, std::size_t step) {
  return fmt::format("step {}: {}", step + 1, describe(plan, plan.steps[step]));
}

std::string step_numbers(std::vector<std::size_t> steps) {
  if (steps.empty()) return {};
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  std::vector<std::string> ranges;  // of steps that follow each other; two are none
  for (std::size_t first = 0, end = 0; first < steps.size(); first = end) {
    for (end = first + 1; end < steps.size() && steps[end] == steps[end - 1] + 1;) ++end;
    if (end - first == 2) end = first + 1;
    ranges.push_back(end - first == 1 ? fmt::format("{}", steps[first] + 1)
                                      : fmt::format("{} to {}", steps[first] + 1, steps[end - 1] + 1));
  }
  std::string text = steps.size() == 1 ? "step " : "steps ";
  for (std::size_t i = 0; i < ranges.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == ranges.size() ? " and " : ", ", ranges[i]);
  return text;
}

std::vector<std::size_t> of_both_tensors(const Transform& plan, const std::vector<std::size_t>& steps) {
  return steps_where(plan, [&](const Step& step) {
    return std::any_of(steps.begin(), steps.end(), [&](std::size_t at) {
      const Step& other = plan.steps[at];
      return step.kind == other.kind && step.inverse == other.inverse && step.digit == other.digit &&
             step.done == other.done && step.open == other.open && step.level == other.level;
    });
  });
}

}  // namespace ffc
