// The steps of a cluster as statements.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// As lower_split: columns in, a row of frequencies in each block, columns back. Columns are in registers, and put
/// their frequencies where the rows are. Their text is a template, cluster_columns.cuh.
[[nodiscard]] std::vector<Statement> lower_cluster(const ConvConfig& config, const ClusterPlan& plan);

}  // namespace ffc
