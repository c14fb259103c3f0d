// Which kernel makes taps of a batch's sums.
#include "emit_filter_gradient.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "emit_global_filter_gradient.hpp"
#include "emit_long_filter_gradient.hpp"
#include "emit_points_filter_gradient.hpp"
#include "emit_shared_filter_gradient.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"
#include "waves.hpp"

namespace ffc {

FilterGradientPlace filter_gradient_place(const InBlockPlan& plan, const Arch& arch) {
  if (!plan.right_angle())
    return fits_shared_memory(plan, arch) ? FilterGradientPlace::shared_memory : FilterGradientPlace::global_memory;
  return fits_points(plan, arch) ? FilterGradientPlace::points : FilterGradientPlace::columns_and_rows;
}

bool overlaps_gradients(const InBlockPlan& plan, const Arch& arch) {
  return plan.backward.sums && arch.major >= 9 &&
         filter_gradient_place(plan, arch) != FilterGradientPlace::global_memory;
}

void put_filter_gradient(BackwardLaunch& launch, const SpectrumLayout& layout, const ConvConfig& config,
                         const InBlockPlan& plan) {
  const Arch& arch = find_arch(config.arch);
  launch.overlaps = overlaps_gradients(plan, arch);
  launch.inverse_blocks = std::numeric_limits<int>::max();  // a channel each
  switch (filter_gradient_place(plan, arch)) {
    case FilterGradientPlace::points:
      launch.filter_gradient = emit_points_filter_gradient(layout, config, plan, launch.overlaps);
      break;
    case FilterGradientPlace::columns_and_rows:
      put_long_filter_gradient(launch, config, plan, layout);
      break;
    case FilterGradientPlace::shared_memory:
      launch.filter_gradient = emit_shared_filter_gradient(layout, config, plan, launch.overlaps);
      break;
    case FilterGradientPlace::global_memory:
      launch.filter_gradient = emit_global_filter_gradient(layout, config, plan);
      launch.inverse_bytes = 8 * plan.transform_length;  // two arrays of float2, of half the length
      launch.inverse_blocks = static_cast<int>(
          std::clamp<std::int64_t>(measured::most_inverse_workspace_of_block / launch.inverse_bytes, 1, 1024));
  }
}

}  // namespace ffc
