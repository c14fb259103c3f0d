// The lists of steps of the two families.
#pragma once

#include <vector>

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Steps of a tiled plan whose digits, butterfly and tile are set: outer digits, exchange, 16 x 16, and back.
[[nodiscard]] std::vector<Step> tiled_steps(const InBlockPlan& plan);

/// Steps of a tiled plan that computes gradients: of each of its tensors forward, the sums, and back what is wanted.
[[nodiscard]] std::vector<Step> backward_steps(const InBlockPlan& plan);

/// The same made of a convolution's steps, in whatever family.
[[nodiscard]] std::vector<Step> gradient_steps(const std::vector<Step>& convolution, const BackwardWork& work);

/// Steps of a general plan: one product, twiddle and exchange per digit, and back.
[[nodiscard]] std::vector<Step> general_steps(const MixedRadixPlan& plan);

}  // namespace ffc
