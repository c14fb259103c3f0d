// Which of a plan's steps are wanted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// Those for which `wanted(step)` holds, in their order.
template <class Wanted>
[[nodiscard]] std::vector<std::size_t> steps_where(const Transform& plan, const Wanted& wanted) {
  std::vector<std::size_t> steps;
  for (std::size_t at = 0; at < plan.steps.size(); ++at)
    if (wanted(plan.steps[at])) steps.push_back(at);
  return steps;
}

/// Those of a kind, of any of the tensors.
[[nodiscard]] inline std::vector<std::size_t> steps_of(const Transform& plan, StepKind kind, bool inverse,
                                                       const std::vector<Tensor>& tensors) {
  return steps_where(plan, [&](const Step& step) {
    return step.kind == kind && step.inverse == inverse &&
           std::find(tensors.begin(), tensors.end(), step.tensor) != tensors.end();
  });
}

/// Exchanges between columns and rows past one block, of any tensor.
[[nodiscard]] inline std::vector<std::size_t> outer_exchanges(const Transform& plan, bool inverse) {
  return steps_where(plan, [&](const Step& step) {
    return step.kind == StepKind::exchange && step.level != Level::block && step.inverse == inverse;
  });
}

}  // namespace ffc
