// Threads and memory of gradients in one block.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Threads and memory to try first for a tiled backward plan.
[[nodiscard]] Geometry backward_geometry(const InBlockPlan& plan, const ConvConfig& config);

}  // namespace ffc
