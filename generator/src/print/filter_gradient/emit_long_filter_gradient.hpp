// Filter gradients of columns and rows, and the launches of gradients.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Launches of the gradients of a split plan; `row_layout` is that of one row of the spectrum.
[[nodiscard]] BackwardLaunch split_backward_launch(const ConvConfig& config, const FourStepPlan& plan,
                                                   const SpectrumLayout& row_layout);

}  // namespace ffc
