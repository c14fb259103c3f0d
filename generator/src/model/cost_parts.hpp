// What the costs of all families count alike.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Of two rows that are transformed alone, each has half of the samples of a pair.
[[nodiscard]] inline double turns_of_pair(const Transform& plan) { return plan.right_angle() ? 2 : 1; }

/// Tensors of rows that a launch reads and writes, gates and all.
[[nodiscard]] inline double tensors(const ConvConfig& config) {
  if (config.pass == Pass::backward) {
    const Gradients& wanted = config.gradients;
    const double written = (wanted.u ? 1 : 0) + (wanted.w ? 1 : 0) + (wanted.v ? 1 : 0);
    return 2 + (has_in_gate(config.gating) ? 1 : 0) + (has_out_gate(config.gating) ? 1 : 0) + written;
  }
  return 2 + (has_in_gate(config.gating) ? 1 : 0) + (has_out_gate(config.gating) ? 1 : 0);
}

}  // namespace ffc
