// Checks of launch arguments that need no driver. Nothing is allocated unless a check fails.
#pragma once

#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// Throws LaunchError for anything in `arguments` that the kernel cannot run with on that device.
void check_launch(const Generated& generated, int device, const LaunchArguments& arguments);

/// The least that a lent workspace of a launch may have: a place of the ring, and magnitudes that are measured.
[[nodiscard]] std::size_t least_launch_bytes(const Generated& generated, int batch, int channels);

/// Throws LaunchError for a filter or a lent workspace that prepare_filter cannot run with. `workspace_bytes` is what
/// it needs.
void check_filter(const Generated& generated, const FilterView& filter, const Workspace& workspace,
                  std::size_t workspace_bytes);

/// The kernel's argument for a launch that has been checked. `tables` is where the kernel finds its constants.
[[nodiscard]] ConvArguments conv_arguments(const LaunchArguments& arguments, const void* tables);

/// The argument of a kernel that takes a history, from that of its convolution.
[[nodiscard]] StreamArguments stream_arguments(const LaunchArguments& arguments, const ConvArguments& values);

/// Bytes of workspace that a launch of a split plan can use of `workspace_bytes`: it may have few pairs.
[[nodiscard]] std::size_t needed_workspace_bytes(const SplitLaunch& launch, const LaunchArguments& arguments,
                                                 std::size_t workspace_bytes);

/// The argument of a split plan's kernel, from that of its convolution: as many pairs in the ring as the workspace
/// holds and the launch has.
[[nodiscard]] SplitArguments split_arguments(const SplitLaunch& launch, const ConvArguments& values,
                                             const Workspace& workspace);

}  // namespace ffc
