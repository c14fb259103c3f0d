// Arguments of kernels, from those of launches that have been checked.
#pragma once

#include <cstdint>

#include "ffc/runtime/kernel.hpp"

namespace ffc {

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

/// Elements from the taps of one channel to those of the next.
[[nodiscard]] std::int64_t tap_stride(const Generated& generated, const FilterView& filter);

/// The argument of a filter entry, for a filter that has been checked.
[[nodiscard]] FilterArguments filter_arguments(const Generated& generated, const FilterView& filter, void* spectrum,
                                               void* workspace, const void* tables);

}  // namespace ffc
