// What is summed in fp32 and fused, for the precision that is promised.
#include "tiled_precision.hpp"

#include <algorithm>
#include <cmath>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "stage_errors.hpp"
#include "tiled_shape.hpp"

namespace ffc {

namespace {

// Of stages whose products are whole and rounded behind each.
double whole_error(const InBlockPlan& plan) {
  if (plan.outer_tile > 1) return measured::column_error[plan.outer_butterfly];
  if (!plan.holds_row_alone()) return measured::warp_error[plan.outer_butterfly];
  return (plan.fractional_rows ? measured::halved_warp_error : measured::lone_warp_error)[plan.outer_butterfly];
}

double saved_by_sums(RowSums sums) {
  switch (sums) {
    case RowSums::rounded:
      return 0;
    case RowSums::in_accumulators:
      return measured::halves_added_save;
    case RowSums::accumulated:
      return measured::accumulated_saves;
    case RowSums::wide:
      return measured::wide_rows_save;
  }
  return 0;
}

double added_by_gate(const InBlockPlan& plan) {
  if (plan.holds_row_alone()) return measured::gate_adds_to_lone_warp;
  return plan.right_angle() ? measured::gate_adds_at_right_angle : measured::gate_adds;
}

}  // namespace

double expected_error(const InBlockPlan& plan, const ConvConfig& config) {
  double square = whole_error(plan);
  if (plan.outer_tile == 8) square += measured::radix8_twiddle[plan.outer_butterfly] - measured::radix8_saves;
  if (!plan.fractional_rows)
    square -= measured::fused_saves[plan.fused_factors];
  else if (has_columns(plan))
    square -= measured::fractional_saves[plan.outer_butterfly];
  square -= saved_by_sums(plan.row_sums);
  if (plan.half_spectrum()) square -= measured::real_rows_save[plan.outer_butterfly];
  if (plan.wide_columns) square -= measured::wide_saves[plan.outer_butterfly];
  if (right_angle_rows(plan) && has_columns(plan) && !has_butterfly(plan))
    square += measured::right_angle_adds[plan.outer_tile];
  const double of_gate = added_by_gate(plan);
  if (has_in_gate(config.gating)) square += of_gate;
  if (has_out_gate(config.gating)) square += of_gate;
  return std::sqrt(square) * 1e-4;
}

namespace {

// The cheapest that keep what is promised. Those of tiles were timed without sums in fp16 accumulators alone.
void choose_sums(InBlockPlan& plan, const ConvConfig& config) {
  const double wanted = plan.holds_row_alone() ? measured::wanted_error : measured::wanted_error_of_fractional;
  for (const RowSums sums : {RowSums::in_accumulators, RowSums::accumulated, RowSums::wide}) {
    if (expected_error(plan, config) <= wanted) return;
    if (sums != RowSums::in_accumulators || plan.holds_row_alone()) plan.row_sums = sums;
  }
}

}  // namespace

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
  if (plan.fractional_rows) return choose_sums(plan, config);
  const double wanted = longest ? measured::wanted_error_of_longest : measured::wanted_error;
  while (plan.fused_factors < measured::most_fused && expected_error(plan, config) > wanted) ++plan.fused_factors;
}

}  // namespace ffc
