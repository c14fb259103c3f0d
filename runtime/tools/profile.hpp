// `ffc-gen --profile-host`: what kernels do on the host, beside what their plans predict.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"

namespace ffc::tools {

/// Runs each config's kernel on the host for some pairs of rows and prints, per pair, the counts beside the prediction,
/// and the lines of the emitted text that touch shared memory. Returns the exit status: 1 where a kernel failed.
[[nodiscard]] int run_profile(const std::vector<ConvConfig>& configs, bool json);

}  // namespace ffc::tools
