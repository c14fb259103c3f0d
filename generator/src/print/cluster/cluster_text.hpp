// The text of a cluster's columns: what a block does with the item that comes and the one that leaves.
#pragma once

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The statements of a turn (lower_cluster.hpp), as blocks of cluster_columns.cuh: its loop over turns, and what it
/// does with a chunk on either way.
[[nodiscard]] Blocks cluster_blocks(const ConvConfig& config, const ClusterPlan& plan);

}  // namespace ffc
