// Which kernel makes taps of a batch's sums.
#include "emit_filter_gradient.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "emit_global_filter_gradient.hpp"
#include "emit_points_filter_gradient.hpp"
#include "emit_shared_filter_gradient.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

FilterGradientPlace filter_gradient_place(const InBlockPlan& plan, const Arch& arch) {
  if (!plan.right_angle())
    return fits_shared_memory(plan, arch) ? FilterGradientPlace::shared_memory : FilterGradientPlace::global_memory;
  if (fits_points(plan, arch)) return FilterGradientPlace::points;
  throw std::logic_error(fmt::format("gradients of rows alone of {} points were planned for {}, whose blocks hold less",
                                     plan.transform_length, arch.name));
}

bool overlaps_gradients(const InBlockPlan& plan, const Arch& arch) {
  return plan.backward.sums && arch.major >= 9 &&
         filter_gradient_place(plan, arch) != FilterGradientPlace::global_memory;
}

GeneratedKernel emit_filter_gradient(const SpectrumLayout& layout, const ConvConfig& config, const InBlockPlan& plan) {
  const Arch& arch = find_arch(config.arch);
  const bool overlaps = overlaps_gradients(plan, arch);
  switch (filter_gradient_place(plan, arch)) {
    case FilterGradientPlace::points:
      return emit_points_filter_gradient(layout, config, plan, overlaps);
    case FilterGradientPlace::shared_memory:
      return emit_shared_filter_gradient(layout, config, plan, overlaps);
    case FilterGradientPlace::global_memory:
      return emit_global_filter_gradient(layout, config, plan);
  }
  throw std::logic_error("a filter's gradient has no such place");
}

}  // namespace ffc
