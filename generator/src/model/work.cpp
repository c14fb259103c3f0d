// Counts of one pair of rows, from the plan alone: what a kernel run on the host is held against.
#include "ffc/generator/work.hpp"

#include "block_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_general.hpp"
#include "split_work.hpp"
#include "statement.hpp"

namespace ffc {
namespace {

// A product of the general family: warps take 16 columns of it at a time, in tiles of 16 x 16; of short rows the
// columns of a few pairs together.
double products_of(const MixedRadixPlan& plan, const Statement& statement) {
  if (statement.operation != Operation::contract) return 0;
  constexpr std::int64_t at_once = 16, products_of_tile = 8;
  const int radix = plan.digits[static_cast<std::size_t>(statement.digit)].radix;
  const bool outer = statement.digit < plan.outer_digits;
  const std::int64_t columns = plan.pairs_at_once * (outer ? plan.transform_length : plan.points()) / radix;
  const std::int64_t tiles = (radix + 15) / 16, groups = (columns + at_once - 1) / at_once;
  return static_cast<double>(groups * (outer ? 1 : plan.rows()) * tiles * tiles * products_of_tile) /
         plan.pairs_at_once;
}

Work general_work(const MixedRadixPlan& plan) {
  Work work;
  for (const Statement& statement : lower_general(plan)) work.matrix_products += products_of(plan, statement);
  return work;
}

Work work_of(const InBlockPlan& plan, const ConvConfig& config) { return block_work(plan, config); }
Work work_of(const MixedRadixPlan& plan, const ConvConfig&) { return general_work(plan); }
Work work_of(const FourStepPlan& plan, const ConvConfig& config) { return split_work(plan, config); }
Work work_of(const ClusterPlan& plan, const ConvConfig& config) { return cluster_work(plan, config); }

// With the rows that are read and written: of gradients they are counted with the rest.
template <class FamilyPlan>
Work whole_work(const FamilyPlan& plan, const ConvConfig& config) {
  Work work = work_of(plan, config);
  if (plan.is_backward()) return work;
  const double row_bytes = 2 * 2 * static_cast<double>(plan.windows ? config.length : plan.length);
  const int gates = (has_in_gate(config.gating) ? 1 : 0) + (has_out_gate(config.gating) ? 1 : 0);
  work.bytes_read += (1 + gates) * row_bytes;
  work.bytes_written += row_bytes;
  return work;
}

}  // namespace

Work predict_work(const Plan& plan, const ConvConfig& config) {
  const ConvConfig of_kernel = kernel_config(config, plan);
  return plan.visit([&](const auto& of_family) { return whole_work(of_family, of_kernel); });
}
Work predict_work(const InBlockPlan& plan, const ConvConfig& config) { return whole_work(plan, config); }
Work predict_work(const FourStepPlan& plan, const ConvConfig& config) { return whole_work(plan, config); }
Work predict_work(const ClusterPlan& plan, const ConvConfig& config) { return whole_work(plan, config); }

}  // namespace ffc
