// The stages of a backward kernel (tiled family).
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// From rows in shared memory to results in shared memory. Where tensors take turns, those of u are stored, too.
[[nodiscard]] std::string backward_stages(const ConvConfig& config, const InBlockPlan& plan);

}  // namespace ffc
