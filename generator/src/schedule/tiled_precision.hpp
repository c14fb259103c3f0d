// The error that the stages of a plan of the tiled family make, and what keeps it small enough.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Sets accumulation and fused factors: what the config asks for, else the fewest fused factors that keep the expected
/// relative error under 1.0e-3.
void choose_precision(InBlockPlan& plan, const ConvConfig& config);

/// The relative error norm(y - ref) / norm(ref) that a plan is expected to make on fp16 rows of random normal data.
[[nodiscard]] double expected_error(const InBlockPlan& plan, const ConvConfig& config);

}  // namespace ffc
