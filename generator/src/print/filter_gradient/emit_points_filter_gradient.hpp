// Filter gradients of rows alone in one block.
#pragma once

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Whether a block of that arch holds the points of rows alone, few enough for it to be the best way.
[[nodiscard]] bool fits_points(const InBlockPlan& plan, const Arch& arch);

/// The kernel of a plan of rows alone, at frequencies k + 1/4, that fits_points: from sums to taps, a block for each
/// channel. It takes no workspace and no tables. `overlaps`: it may begin before the sums are there.
[[nodiscard]] GeneratedKernel emit_points_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config,
                                                          const InBlockPlan& plan, bool overlaps);

}  // namespace ffc
