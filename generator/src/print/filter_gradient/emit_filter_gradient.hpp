// Gradients of filters from the sums of a backward kernel.
#pragma once

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// Where the sums of a channel are transformed.
enum class FilterGradientPlace {
  points,            ///< shared memory of a block, of rows alone: emit_points_filter_gradient.hpp
  columns_and_rows,  ///< that of several blocks, of longer rows alone: emit_long_filter_gradient.hpp
  shared_memory,     ///< of pairs: emit_shared_filter_gradient.hpp
  global_memory,     ///< of pairs that are longer than that holds: emit_global_filter_gradient.hpp
};

[[nodiscard]] FilterGradientPlace filter_gradient_place(const InBlockPlan& plan, const Arch& arch);

/// Whether the filter gradient's launch may begin while the gradients' blocks end, and both texts say so: from sm_90
/// on, of transforms in shared memory.
[[nodiscard]] bool overlaps_gradients(const InBlockPlan& plan, const Arch& arch);

/// The kernel that makes gradients of filters from the sums of a backward kernel, in float32, and how it is launched.
void put_filter_gradient(BackwardLaunch& launch, const SpectrumLayout& layout, const ConvConfig& config,
                         const InBlockPlan& plan);

}  // namespace ffc
