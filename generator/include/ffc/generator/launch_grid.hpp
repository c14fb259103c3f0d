// Blocks of a launch.
#pragma once

#include "ffc/generator/generated_kernel.hpp"

namespace ffc {

/// Blocks of one launch.
struct LaunchGrid {
  unsigned x = 1, y = 1, z = 1;
};

/// The grid of a convolution launch: channels in x (of clusters: their blocks, each cluster with a slice of all pairs),
/// slices of the batch in y, sized so that waves come out full on a device that holds `resident_blocks` of them at a
/// time, whole clusters where there are clusters. Of blocks that walk over channels: one wave in x.
[[nodiscard]] LaunchGrid launch_grid(const Generated& generated, int batch, int channels, int resident_blocks);

/// Blocks of a slice of the batch where clusters of `cluster` walk over channels, a channel or more at a time: of all
/// slices as many as the device holds, or a few times that, where slices would leave too much of it idle.
[[nodiscard]] int blocks_over_channels(int cluster, int slices, int channels, int resident_blocks);

}  // namespace ffc
