// The access map of columns: of the ring and of clusters.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_access.hpp"

namespace ffc {

/// Columns of a cluster: of item `item` of a channel, the words of a thread from `column` on in row `row` of samples.
[[nodiscard]] RowAccess column_access(const ConvConfig& config, const ClusterPlan& plan);

/// Columns of the ring.
[[nodiscard]] RowAccess column_access(const ConvConfig& config, const FourStepPlan& plan,
                                      Tensor tensor = Tensor::input);

}  // namespace ffc
