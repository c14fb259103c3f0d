// The text of a split plan's turns: what a unit of columns does with the pair that comes and the one that leaves.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The work on the tiles of a turn, one function after the other with barriers between them: the block `turn` of
/// turn_columns.cuh. What others wait for is stored first, and what can be on its way while the rest is stored is asked
/// for before it.
[[nodiscard]] std::string turn_block(const ConvConfig& config, const FourStepPlan& plan);

}  // namespace ffc
