// Filter gradients of one block whose transform lies in global memory.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// The kernel of any plan of pairs. Its workspace is two arrays of float2 for each block, of half the transform's
/// length.
[[nodiscard]] GeneratedKernel emit_global_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config,
                                                          const InBlockPlan& plan);

}  // namespace ffc
