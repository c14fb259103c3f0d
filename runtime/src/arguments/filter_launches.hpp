// The launches of a filter entry: one, or several, chunk by chunk of the channels, each through all steps.
#pragma once

#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/launch_grid.hpp"

namespace ffc {

/// One launch.
struct FilterLaunch {
  LongFilterArguments arguments;
  LaunchGrid grid;
};

/// The grid of a filter entry that takes one launch: a block or a cluster for each channel.
[[nodiscard]] LaunchGrid filter_grid(const Generated& generated, int channels);

/// Chunks that so many channels are prepared in.
[[nodiscard]] int filter_chunks(const Generated& generated, int channels);

/// Step `step` of chunk `chunk`. `all` is the argument of a filter entry for all channels and the first chunk's
/// workspace, which all chunks share.
[[nodiscard]] FilterLaunch filter_launch(const Generated& generated, const FilterArguments& all, int chunk, int step);

/// Calls launch(arguments, grid) for every launch in turn.
template <class Launch>
void for_each_filter_launch(const Generated& generated, const FilterArguments& all, Launch launch) {
  for (int chunk = 0; chunk < filter_chunks(generated, all.channels); ++chunk)
    for (int step = 0; step < generated.filter_steps; ++step) {
      const FilterLaunch one = filter_launch(generated, all, chunk, step);
      launch(one.arguments, one.grid);
    }
}

}  // namespace ffc
