// The launch that measures rows ahead of a kernel that asks for their magnitudes (Generated::magnitudes).
#pragma once

#include <cstddef>
#include <optional>

#include "ffc/generator/launch_grid.hpp"
#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// Bytes of the magnitudes of so many channels, at the beginning of a launch's workspace; 0 where none are measured.
[[nodiscard]] std::size_t magnitude_bytes(const Generated& generated, int channels);

/// One launch.
struct MagnitudeLaunch {
  MagnitudeArguments arguments;
  LaunchGrid grid;
  std::size_t zeroed_bytes = 0;  ///< of the magnitudes, before it
};

/// The launch for the rows of `arguments`, which have been checked, but for those whose magnitudes they lend; nothing
/// where they lend all. `memory` is that of the magnitudes.
[[nodiscard]] std::optional<MagnitudeLaunch> magnitude_launch(const Generated& generated,
                                                              const LaunchArguments& arguments, void* memory);
[[nodiscard]] std::optional<MagnitudeLaunch> magnitude_launch(const Generated& generated,
                                                              const BackwardArguments& arguments, void* memory);

/// The arguments of the kernel behind it: with the magnitudes that it found, and what `workspace`, where it is lent,
/// has behind them.
[[nodiscard]] LaunchArguments with_magnitudes(const Generated& generated, LaunchArguments arguments, void* memory);
[[nodiscard]] BackwardArguments with_magnitudes(const Generated& generated, BackwardArguments arguments, void* memory);

}  // namespace ffc
