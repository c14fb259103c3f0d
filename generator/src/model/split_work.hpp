// Counts of a pair of rows as columns and rows.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/work.hpp"

namespace ffc {

/// All of a pair; of a convolution beside the rows that are read and written.
[[nodiscard]] Work split_work(const FourStepPlan& plan, const ConvConfig& config);
[[nodiscard]] Work cluster_work(const ClusterPlan& plan, const ConvConfig& config);

}  // namespace ffc
