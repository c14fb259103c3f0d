// Filter gradients of one block whose transform lies in shared memory.
#pragma once

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Whether a block of that arch holds the sums of a channel of pairs, and then its samples, beside the roots of the
/// transform.
[[nodiscard]] bool fits_shared_memory(const InBlockPlan& plan, const Arch& arch);

/// The kernel of a plan of pairs that fits_shared_memory. It takes no workspace. `overlaps`: it may begin before the
/// sums are there.
[[nodiscard]] GeneratedKernel emit_shared_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config,
                                                          const InBlockPlan& plan, bool overlaps);

}  // namespace ffc
