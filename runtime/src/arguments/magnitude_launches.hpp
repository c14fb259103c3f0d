// The launch that measures rows ahead of a kernel that asks for their magnitudes (Generated::magnitudes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ffc/generator/launch_grid.hpp"
#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// The magnitudes of a tensor of so many rows a channel: one for each channel, or each row; 0 where none are measured.
[[nodiscard]] std::int64_t magnitude_count(const Generated& generated, int batch, int channels);

/// Bytes of those of all tensors, at the beginning of a launch's workspace.
[[nodiscard]] std::size_t magnitude_bytes(const Generated& generated, int batch, int channels);

/// Those in `memory` of so many rows a channel, as the kernel that measured them left them there.
[[nodiscard]] RowMagnitudes found_magnitudes(const Generated& generated, const float* memory, int batch);

/// One launch.
struct MagnitudeLaunch {
  MagnitudeArguments arguments;
  LaunchGrid grid;
  void* memory = nullptr;  ///< of the magnitudes
  std::size_t bytes = 0;
  bool zeroed = false;  ///< before it, for several blocks have a channel
};

/// Where the arguments have their magnitudes put: in memory that they lend for that or ahead of all else in the
/// workspace; null where they lend neither.
[[nodiscard]] void* place_of_magnitudes(const LaunchArguments& arguments);
[[nodiscard]] void* place_of_magnitudes(const BackwardArguments& arguments);

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
