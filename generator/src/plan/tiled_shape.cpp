// What a tiled plan has, where that takes more than a line.
#include "tiled_shape.hpp"

#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

bool has_history(const InBlockPlan& plan) { return plan.windows && plan.windows->history; }

std::int64_t row_sums_bytes(const InBlockPlan& plan) { return std::int64_t{plan.rows()} * sums_tile_bytes; }

bool puts_spectrum_in_order(const InBlockPlan& plan) {
  return has_spectrum(plan) && plan.spectrum_of_fractional && plan.geometry.spectrum == Placement::shared;
}

bool refills_rows(const InBlockPlan& plan) {
  const BackwardWork& work = plan.backward;
  const bool own_rows = plan.couples() % plan.geometry.warps_per_group == 0;  // no warp reads those of another
  return plan.real_filter() && plan.geometry.in_turn && !plan.geometry.gate_at_load && own_rows && work.tensors() > 1 &&
         !work.inverts_input && !plan.windows;
}

bool has_gate_or_exponent(const ConvConfig& config) {
  return config.gating != Gating::none || config.input_exponent != 0 || config.gradient_exponent != 0;
}

bool converts_at_load(const ConvConfig& config) {
  return has_gate_or_exponent(config) || config.scaling == Scaling::given;
}

}  // namespace ffc
