// The text of a split plan's turns: what a unit of columns does with the pair that comes and the one that leaves.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The statements of a turn (lower_turn.hpp), one function after the other: the block `turn` of turn_columns.cuh.
[[nodiscard]] std::string turn_block(const ConvConfig& config, const FourStepPlan& plan);

}  // namespace ffc
