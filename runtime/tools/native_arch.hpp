// The architecture of the GPU at hand.
#pragma once

#include <optional>
#include <string>

namespace ffc::tools {

/// The architecture that kernels for device 0 are compiled for; empty where there is no driver, no device, or a device
/// that no supported architecture fits.
[[nodiscard]] std::optional<std::string> native_arch();

}  // namespace ffc::tools
