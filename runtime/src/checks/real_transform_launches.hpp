// Checks of the rows of a real transform, and its launches: chunk by chunk of the channels, each through all steps.
#pragma once

#include "ffc/generator/launch_grid.hpp"
#include "ffc/runtime/real_transform.hpp"

namespace ffc {

/// Throws LaunchError for rows or a lent workspace that the transform cannot run with.
void check_real_transform(const RealTransform& transform, const RealTransformRows& rows, const Workspace& workspace);

/// Floats from the first of the rows that are read, or written, to the last.
[[nodiscard]] std::int64_t from_span(const GeneratedRealTransform& generated, const RealTransformRows& rows);
[[nodiscard]] std::int64_t to_span(const GeneratedRealTransform& generated, const RealTransformRows& rows);

/// One launch.
struct RealTransformLaunch {
  RealTransformArguments arguments;
  LaunchGrid grid;
};

/// Step `step` of the channels from `first` on, of rows that have been checked.
[[nodiscard]] RealTransformLaunch real_transform_launch(const GeneratedRealTransform& generated,
                                                        const RealTransformRows& rows, void* workspace, int first,
                                                        int step);

/// Calls launch(arguments, grid) for every launch in turn.
template <class Launch>
void for_each_real_transform_launch(const GeneratedRealTransform& generated, const RealTransformRows& rows,
                                    void* workspace, const Launch& launch) {
  const auto steps = static_cast<int>(generated.steps.size());
  for (std::int64_t first = 0; first < rows.channels; first += generated.most_channels)
    for (int step = 0; step < steps; ++step) {
      const RealTransformLaunch one = real_transform_launch(generated, rows, workspace, static_cast<int>(first), step);
      launch(one.arguments, one.grid);
    }
}

}  // namespace ffc
