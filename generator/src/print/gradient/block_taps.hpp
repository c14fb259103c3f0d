// The filter's gradient by the block that has all rows of a channel.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The constants of that part of the kernel: how many taps there are, and what samples are multiplied by; or nothing.
[[nodiscard]] std::string block_taps_constants(const ConvConfig& config, const InBlockPlan& plan);

/// Behind all pairs, where the launch says so: the block's sums back to samples, which are taps, and nothing behind it.
/// Empty where the plan makes none.
[[nodiscard]] std::string block_taps(const ConvConfig& config, const InBlockPlan& plan);

}  // namespace ffc
