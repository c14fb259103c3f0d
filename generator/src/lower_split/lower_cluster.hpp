// The steps of a cluster as statements.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "lower_turn.hpp"
#include "statement.hpp"

namespace ffc {

/// A turn of a block's columns, of which one item leaves a place of the ring and another comes. Samples that come are
/// asked for while others leave. Columns are in registers, and put their frequencies where the rows are.
[[nodiscard]] ColumnTurn lower_cluster_turn(const ConvConfig& config, const ClusterPlan& plan);

/// As lower_split: columns in, a row of frequencies in each block, columns back.
[[nodiscard]] std::vector<Statement> lower_cluster(const ConvConfig& config, const ClusterPlan& plan);

}  // namespace ffc
