// Plans in words and numbers.
#include "ffc/generator/plan_report.hpp"

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "kept_digits.hpp"
#include "split_shape.hpp"

namespace ffc {

namespace {

KernelSummary kernel_of(const Plan& plan) {
  if (plan.row_plan)
    return {split_threads(plan), plan.columns.units + plan.row_plan->geometry.groups, 1, split_shared_bytes(plan)};
  const Geometry& geometry = plan.geometry;
  return {geometry.threads(), geometry.groups, geometry.blocks_per_sm, plan.shared.total};
}

}  // namespace

std::vector<PlanSummary> rank_plans(const ConvConfig& config, std::size_t at_most) {
  const ConvConfig checked = normalised(config);
  if (checked.arch.empty()) throw ConfigError("arch is empty; rank_plans needs one such as \"sm_90a\"");
  std::vector<PlanSummary> result;
  for (const Plan& plan : make_plans(checked)) {
    if (result.size() == at_most) break;
    PlanSummary summary;
    summary.factorisation = factorisation_name(plan);
    for (const Step& step : plan.steps) summary.steps.push_back(describe(plan, step));
    summary.kernel = kernel_of(plan);
    summary.alone = plan.rows_of_place() == 1;
    summary.windows = plan.windows;
    if (plan.row_plan) {
      summary.column_length = plan.columns.length();
      summary.row_length = plan.row_plan->transform_length;
      if (plan.family == Family::split) summary.pair_bytes = std::int64_t{4} * place_rows(plan) * summary.row_length;
    }
    summary.sparsity = plan.sparsity;
    summary.skipped = skipped_work(plan);
    summary.predicted_ratio = plan.cost.total / plan.cost.memory;
    summary.predicted_us_per_pair = plan.cost.total / 1000;
    result.push_back(std::move(summary));
  }
  return result;
}

}  // namespace ffc
