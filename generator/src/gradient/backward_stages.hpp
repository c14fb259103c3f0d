// The blocks of a backward kernel (tiled family) that the stages of a convolution do not have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// From rows in shared memory to results in shared memory. Where tensors take turns, those of u are stored, too.
[[nodiscard]] std::string backward_stages(const ConvConfig& config, const InBlockPlan& plan);

/// The only stage of a kernel whose warps hold whole pairs.
void emit_warp_gradients(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan);

}  // namespace ffc
