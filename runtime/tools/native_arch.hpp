// The architecture of the GPU at hand.
#pragma once

#include <string>

namespace ffc::tools {

/// The architecture that kernels for device 0 are compiled for. Throws DriverError where there is no driver or no
/// device, ConfigError where no supported architecture fits the device.
[[nodiscard]] std::string native_arch();

}  // namespace ffc::tools
