// The stage of kernels whose warps hold whole pairs, as statements.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The only stage: a butterfly over rows in registers, around their chains. Of gradients in one block both tensors, of
/// which u's frequencies wait in the place of its samples for dy's.
[[nodiscard]] Statement lower_warp_rows(const ConvConfig& config, const InBlockPlan& plan, Turn turn);

}  // namespace ffc
