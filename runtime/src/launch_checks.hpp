// Checks of launch arguments that need no driver. Nothing is allocated unless a check fails.
#pragma once

#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// Throws LaunchError for anything in `arguments` that the kernel cannot run with on that device.
void check_launch(const Generated& generated, int device, const LaunchArguments& arguments);

/// Throws LaunchError for a filter or a lent workspace that prepare_filter cannot run with. `workspace_bytes` is what
/// it needs.
void check_filter(const Generated& generated, const FilterView& filter, const Workspace& workspace,
                  std::size_t workspace_bytes);

/// How a workspace is shared out among chunks that are under way at a time.
struct ChunkShare {
  int lanes = 1;           ///< chunks at a time
  std::int64_t pairs = 1;  ///< pairs of rows of each at most
};

/// The lent workspace, or else one of `workspace_bytes`, for `lanes` chunks at a time; for fewer where it is too small.
[[nodiscard]] ChunkShare share_workspace(const Generated& generated, const Workspace& lent, std::size_t workspace_bytes,
                                         int lanes);

/// The kernel's argument for a launch that has been checked. `tables` is where the kernel finds its constants.
[[nodiscard]] ConvArguments conv_arguments(const LaunchArguments& arguments, const void* tables);

}  // namespace ffc
