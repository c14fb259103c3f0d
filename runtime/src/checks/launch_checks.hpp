// Checks of launch arguments that need no driver. Nothing is allocated unless a check fails.
#pragma once

#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// Throws LaunchError for anything in `arguments` that the kernel cannot run with on that device.
void check_launch(const Generated& generated, int device, const LaunchArguments& arguments);

/// The least that a lent workspace of a launch may have: a place of the ring, and magnitudes that are measured.
[[nodiscard]] std::size_t least_launch_bytes(const Generated& generated, int batch, int channels);

}  // namespace ffc
