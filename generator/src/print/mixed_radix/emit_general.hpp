// The kernel of a general plan.
#pragma once

#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

[[nodiscard]] EmittedConv emit_general(const ConvConfig& config, const MixedRadixPlan& plan);

}  // namespace ffc
