// The stage of kernels whose warps hold whole pairs, or rows alone, as statements.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The only stage: a butterfly over rows in registers, around their chains. Of gradients in one block a stage for each
/// tensor, u's frequencies waiting in the place of its samples for dy's, and one for the way back of these.
[[nodiscard]] std::vector<Statement> lower_warp_rows(const ConvConfig& config, const InBlockPlan& plan, Turn turn);

/// What the warp that has all of a channel's sums does with them, where taps are made in the block.
[[nodiscard]] std::vector<Statement> lower_warp_taps(const ConvConfig& config, const InBlockPlan& plan);

}  // namespace ffc
