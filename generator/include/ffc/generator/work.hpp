// What a kernel does, counted from its plan.
#pragma once

#include "ffc/generator/plan.hpp"

namespace ffc {

/// What a kernel does for one pair of rows that both exist, beside what a block does once: as HostCounts counts it.
/// Rows aligned to 16 bytes; of windows, all those of both rows. Of the general family's plans, products and bytes of
/// rows alone; what goes through the workspace is left out, and so are wavefronts. Of backward plans, barriers are
/// left out, and what sums and frequencies that are not in shared memory take.
struct Work {
  double matrix_products = 0;   ///< m16n8k16
  double wavefronts = 0;        ///< of shared memory, free of bank conflicts
  double bytes_read = 0;        ///< of global memory: rows, and factors that are read anew for every pair
  double bytes_written = 0;     ///< rows
  double barrier_arrivals = 0;  ///< of warps, at barriers of more than one
};
[[nodiscard]] Work predict_work(const Plan& plan, const ConvConfig& config);
/// The same of a plan whose family is known.
[[nodiscard]] Work predict_work(const InBlockPlan& plan, const ConvConfig& config);
[[nodiscard]] Work predict_work(const FourStepPlan& plan, const ConvConfig& config);
[[nodiscard]] Work predict_work(const ClusterPlan& plan, const ConvConfig& config);

}  // namespace ffc
