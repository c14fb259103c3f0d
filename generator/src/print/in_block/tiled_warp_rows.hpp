// The only stage of kernels whose warps hold whole pairs, or rows alone.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"
#include "text.hpp"

namespace ffc {

/// The only stage of a kernel whose warps hold whole pairs, or rows alone: butterfly over rows in registers around the
/// chain; `turn` of a backward plan says on which tensor. As lower_warp_rows makes it.
void emit_warp_rows(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn,
                    const std::vector<Statement>& stages);

}  // namespace ffc
