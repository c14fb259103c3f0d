// What is summed in fp32 and fused, for the precision that is promised.
#include "tiled_precision.hpp"

#include <algorithm>
#include <cmath>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "stage_errors.hpp"
#include "tiled_shape.hpp"

namespace ffc {

double expected_error(const InBlockPlan& plan, const ConvConfig& config) {
  double square =
      plan.outer_tile == 1 ? measured::warp_error[plan.outer_butterfly] : measured::column_error[plan.outer_butterfly];
  if (plan.outer_tile == 8) square += measured::radix8_twiddle[plan.outer_butterfly] - measured::radix8_saves;
  square -= plan.fractional_rows ? measured::fractional_saves[plan.outer_butterfly]
                                 : measured::fused_saves[plan.fused_factors];
  if (plan.row_sums != RowSums::rounded)
    square -= plan.row_sums == RowSums::wide ? measured::wide_rows_save : measured::accumulated_saves;
  if (plan.half_spectrum()) square -= measured::real_rows_save[plan.outer_butterfly];
  if (plan.wide_columns) square -= measured::wide_saves[plan.outer_butterfly];
  if (right_angle_rows(plan) && !has_butterfly(plan)) square += measured::right_angle_adds[plan.outer_tile];
  const double of_gate = plan.right_angle() ? measured::gate_adds_at_right_angle : measured::gate_adds;
  if (has_in_gate(config.gating)) square += of_gate;
  if (has_out_gate(config.gating)) square += of_gate;
  return std::sqrt(square) * 1e-4;
}

void choose_precision(InBlockPlan& plan, const ConvConfig& config) {
  plan.accumulation = config.accumulation == Accumulation::fp32 ? Accumulation::fp32 : Accumulation::fp16;
  plan.fused_factors = plan.accumulation == Accumulation::fp32 ? measured::most_fused : 0;
  // In the longest plans, which have the registers, it saves more for its time than a fused factor does. Past one block
  // rows are complex, and 1.5e-3 is promised, which they leave room for.
  // What bf16 rows lose by their own rounding is more than these would save.
  const bool longest = plan.tile_first() && plan.rows() > 64, rounds_more = config.dtype == DataType::bf16;
  plan.wide_columns = longest && plan.real_filter() && !rounds_more && config.accumulation != Accumulation::fp16;
  if (plan.is_backward()) {
    // 1.5e-3 is promised, which these rows leave room for; the factor behind the spectrum's place is never fused.
    plan.wide_columns = false;
    plan.fused_factors = std::min(plan.fused_factors, 2);
    return;
  }
  if (config.accumulation != Accumulation::automatic) return;
  if (!plan.real_filter() || rounds_more) return;
  if (plan.fractional_rows) {
    for (const RowSums sums : {RowSums::accumulated, RowSums::wide})
      if (expected_error(plan, config) > measured::wanted_error_of_fractional) plan.row_sums = sums;
    return;
  }
  const double wanted = longest ? measured::wanted_error_of_longest : measured::wanted_error;
  while (plan.fused_factors < measured::most_fused && expected_error(plan, config) > wanted) ++plan.fused_factors;
}

}  // namespace ffc
