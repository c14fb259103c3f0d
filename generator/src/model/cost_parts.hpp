// What the costs of all families count alike.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Of two rows that are transformed alone, each has half of the samples of a pair.
[[nodiscard]] inline double turns_of_pair(const Transform& plan) { return plan.right_angle() ? 2 : 1; }

/// Tensors of rows that a launch reads and writes, gates and all.
[[nodiscard]] inline double tensors(const ConvConfig& config) {
  const double of_pass = 2 + (has_in_gate(config.gating) ? 1 : 0) + (has_out_gate(config.gating) ? 1 : 0);
  if (config.pass != Pass::backward) return of_pass;
  const Gradients& wanted = config.gradients;
  return of_pass + (wanted.u ? 1 : 0) + (wanted.w ? 1 : 0) + (wanted.v ? 1 : 0);
}

}  // namespace ffc
