// Filter gradients in columns and rows, and the launches of gradients past one block.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// The kernel that makes taps of a plan's sums in steps, and how it is launched: BackwardLaunch::filter_gradient and
/// what begins with `inverse_`.
void put_long_filter_gradient(BackwardLaunch& launch, const ConvConfig& config, const InBlockPlan& plan,
                              const SpectrumLayout& layout);

/// Launches of the gradients of a split plan; `row_layout` is that of one row of the spectrum.
[[nodiscard]] BackwardLaunch split_backward_launch(const ConvConfig& config, const FourStepPlan& plan,
                                                   const SpectrumLayout& row_layout);

}  // namespace ffc
