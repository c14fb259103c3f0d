// Plans of the cluster family: N = R x M in the shared memories of R blocks.
#pragma once

#include <optional>
#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Columns of that length: R = 2, 4 or 8, the blocks of a cluster; nothing for any other.
[[nodiscard]] std::optional<ClusterShape> cluster_shape(int length);

/// The ways to write N as so many rows of a length that one block holds; empty where there is none.
[[nodiscard]] std::vector<ClusterShape> cluster_shapes(std::int64_t transform_length);

/// The plan for a cluster of that shape; nothing where the rows are none of 256 times 8 x 2, 3, 4 or 8, the radices
/// force others, the config has a mask, or the arch has no clusters or too little shared memory.
[[nodiscard]] std::optional<ClusterPlan> cluster_plan(const ConvConfig& config, std::int64_t transform_length,
                                                      const ClusterShape& shape, const Arch& arch,
                                                      Packing packing = Packing::two_rows);

/// The plan that transforms rows alone at `points` frequencies k + 1/4, where the padding allows that: nothing for
/// circular rows, for rows longer than that, and where cluster_plan has none.
[[nodiscard]] std::optional<ClusterPlan> cluster_right_angle_plan(const ConvConfig& config, std::int64_t points,
                                                                  const ClusterShape& shape, const Arch& arch);

}  // namespace ffc
