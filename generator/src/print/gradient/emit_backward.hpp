// The gradients of a tiled plan.
#pragma once

#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// The gradients of a tiled plan.
[[nodiscard]] EmittedConv emit_backward(const ConvConfig& config, const InBlockPlan& plan);

/// Their launches, and the kernel of the filter's gradient where it is wanted.
[[nodiscard]] BackwardLaunch backward_launch(const ConvConfig& config, const InBlockPlan& plan,
                                             const SpectrumLayout& layout);

}  // namespace ffc
