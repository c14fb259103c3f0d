// What was measured for the tiled family: the geometry that runs best.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The geometry that was fastest on an H200 for a plan of this shape (MEASURED.md); it need not fit other arches.
[[nodiscard]] Geometry measured_geometry(const InBlockPlan& plan, const ConvConfig& config);

}  // namespace ffc
