// Predicted time of columns and rows.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// What one pair of rows costs that goes in columns and rows, from times of both that were measured on an H200
/// (measured/split_times.hpp), over copies of the pair.
[[nodiscard]] Cost split_cost(const FourStepPlan& plan, const ConvConfig& config);
/// The same in the blocks of a cluster.
[[nodiscard]] Cost cluster_cost(const ClusterPlan& plan, const ConvConfig& config);

}  // namespace ffc
