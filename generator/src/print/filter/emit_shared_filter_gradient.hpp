// Filter gradients of one block: their transform in shared memory, or where that is too small in global memory.
#pragma once

#include <string>
#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Whether a block of that arch holds the sums of a channel, and then its samples, beside the roots of the transform.
[[nodiscard]] bool fits_shared_memory(const InBlockPlan& plan, const Arch& arch);

/// Whether the filter gradient's launch may begin while the gradients' blocks end, and both texts say so: from sm_90
/// on, of transforms in shared memory.
[[nodiscard]] bool overlaps_gradients(const InBlockPlan& plan, const Arch& arch);

/// The kernel of a plan that fits_shared_memory. It takes no workspace.
[[nodiscard]] GeneratedKernel emit_shared_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config,
                                                          const InBlockPlan& plan);

}  // namespace ffc
