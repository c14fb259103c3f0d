// What a kernel of gradients gives whose text may hold a fault.
#pragma once

#include "backward_run.hpp"
#include "split_faults.hpp"

namespace ffc::conv_tests {

/// The largest error of a gradient, in a workspace of so many bytes and warps in an order drawn from `seed`.
inline Outcome gradient_outcome(const std::shared_ptr<const host::HostKernel>& kernel, const Recipe& recipe,
                                std::size_t bytes, unsigned seed) {
  BackwardRun run(Machine::host(), kernel, recipe, 5);
  Buffer workspace(Machine::host(), bytes);
  workspace.poison();
  run.arguments().workspace = {workspace.data(), workspace.bytes()};
  HostOptions options;
  options.seed = seed;
  try {
    (void)kernel->run_backward(run.arguments(), options);
  } catch (const HostError& error) {
    return {HUGE_VAL, error.what()};
  }
  const GradientErrors errors = run.errors();
  double largest = 0;
  for (const double error : {errors.u, errors.w, errors.v, errors.k, errors.d})
    largest = std::max(largest, std::isnan(error) ? HUGE_VAL : error);
  return {largest, {}};
}

}  // namespace ffc::conv_tests
