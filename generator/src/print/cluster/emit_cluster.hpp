// The kernel of a cluster.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The kernel of a cluster plan and its filter (generate of that family).
[[nodiscard]] Generated generate_cluster(const ConvConfig& config, ClusterPlan plan);

}  // namespace ffc
