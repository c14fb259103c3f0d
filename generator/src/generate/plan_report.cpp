// Plans in words and numbers.
#include "ffc/generator/plan_report.hpp"

#include "cost_model.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/error.hpp"
#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "forced_radices.hpp"
#include "kept_digits.hpp"
#include "kernel_ratios.hpp"
#include "names.hpp"
#include "split_shape.hpp"
#include "step_numbers.hpp"

namespace ffc {

namespace {

KernelSummary summary_of(const ConvConfig&, const InBlockPlan& plan) {
  const Geometry& geometry = plan.geometry;
  return {geometry.threads(), geometry.groups, geometry.blocks_per_sm, plan.shared.total};
}
KernelSummary summary_of(const ConvConfig&, const MixedRadixPlan& plan) {
  return {plan.threads(), 1, plan.blocks_per_sm, plan.shared_bytes};
}
KernelSummary summary_of(const ConvConfig&, const ClusterPlan& plan) {
  return {split_threads(plan), 1 + plan.row_plan.geometry.groups, 1, split_shared_bytes(plan)};
}
KernelSummary summary_of(const ConvConfig& config, const FourStepPlan& plan) {
  const int shared = kernel_shared_bytes(kernel_config(config, plan), plan);
  return {split_threads(plan), plan.columns.units + plan.row_plan.geometry.groups, 1, shared};
}

}  // namespace

std::vector<PlanSummary> rank_plans(const ConvConfig& config, std::size_t at_most) {
  const ConvConfig checked = normalised(config);
  if (checked.arch.empty()) throw ConfigError("arch is empty; rank_plans needs one such as \"sm_90a\"");
  std::vector<PlanSummary> result;
  for (const Plan& plan : make_plans(checked)) {
    if (result.size() == at_most) break;
    PlanSummary summary;
    summary.factorisation = factorisation_name(*plan);
    summary.reading = reading_of(checked.radices, *plan);
    for (std::size_t step = 0; step < plan->steps.size(); ++step) summary.steps.push_back(numbered_step(*plan, step));
    summary.kernel = plan.visit([&](const auto& of_family) { return summary_of(checked, of_family); });
    summary.packing = plan->packing;
    summary.windows = plan->windows;
    if (const auto* const split = plan.columns_and_rows()) {
      summary.column_length = split->row_count();
      summary.row_length = split->row_plan.transform_length;
    }
    if (const auto* const split = plan.as<FourStepPlan>())
      summary.pair_bytes = std::int64_t{4} * place_rows(*split) * summary.row_length;
    if (const auto* const digits = plan.as<MixedRadixPlan>(); digits != nullptr && digits->outer_digits > 0) {
      summary.column_length = static_cast<int>(digits->rows());
      summary.row_length = digits->points();
      summary.pair_bytes = std::int64_t{4} * digits->transform_length;
    }
    summary.sparsity = plan->sparsity;
    summary.skipped = skipped_work(plan);
    summary.predicted_ratio = predict_ratio(plan->cost, checked);
    summary.predicted_us_per_pair = plan->cost.total / 1000;
    summary.measured_ratio = measured::ratio_of(kernel_name(kernel_config(checked, plan), plan));
    result.push_back(std::move(summary));
  }
  return result;
}

}  // namespace ffc
