// Plans of the split family: N = R x M past what one block holds.
#pragma once

#include <optional>
#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Columns of that length: R = 16 times 1 to 8, 16, 32 or 64; nothing for any other.
[[nodiscard]] std::optional<ColumnShape> column_shape(int length);

/// The ways to write N as columns and rows of a tiled length; empty where there is none.
[[nodiscard]] std::vector<ColumnShape> column_shapes(std::int64_t transform_length);

/// The plan for columns of that shape, rows by the tiled plan that costs least; nothing where M is no tiled length, the
/// radices force another, or it does not fit the arch.
[[nodiscard]] std::optional<FourStepPlan> split_plan(const ConvConfig& config, std::int64_t transform_length,
                                                     const ColumnShape& shape, const Arch& arch, Packing packing);

/// Whether rows of the config may be transformed alone at `points` frequencies k + 1/4: not circular ones, longer ones,
/// nor those of a mask or a history.
[[nodiscard]] bool allows_right_angle(const ConvConfig& config, std::int64_t points);

/// The plan that transforms rows alone at `points` frequencies k + 1/4, as that of a cluster
/// (cluster_right_angle_plan): nothing where the config does not allow that, or its rows are half as long, and where
/// columns share out single chunks.
[[nodiscard]] std::optional<FourStepPlan> split_right_angle_plan(const ConvConfig& config, std::int64_t points,
                                                                 const ColumnShape& shape, const Arch& arch);

}  // namespace ffc
