// What `ffc-gen --advise` shows.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"

namespace ffc::tools {

/// Prints a line for each config: what its length costs, and the cheapest length at or above it. Returns the exit
/// status: 1 where a length has no plan, which is said on stderr.
[[nodiscard]] int run_advice(const std::vector<ConvConfig>& configs, bool json);

}  // namespace ffc::tools
