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

/// Throws LaunchError for memory that does not hold a spectrum of so many channels, which takes `bytes`.
void check_spectrum_memory(const Generated& generated, const Workspace& memory, int channels, std::size_t bytes);

/// The same as check_filter for prepare_filter_into, which needs both of the memories that it is lent.
void check_filter_into(const Generated& generated, const FilterView& filter, const Workspace& memory,
                       std::size_t spectrum_bytes, const Workspace& workspace, std::size_t workspace_bytes);

/// The argument of a filter entry, for a filter that has been checked.
[[nodiscard]] FilterArguments filter_arguments(const Generated& generated, const FilterView& filter, void* spectrum,
                                               void* workspace, const void* tables);

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
