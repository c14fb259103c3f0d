// Arguments of kernels.
#include "launch_arguments.hpp"

#include <algorithm>
#include <cstdint>

namespace ffc {
namespace {

// Pairs of the ring: as many as the workspace holds and the launch has.
std::int64_t ring_of(const SplitLaunch& launch, std::size_t workspace_bytes, int batch, int channels) {
  return std::min(launch.ring_of(static_cast<std::int64_t>(workspace_bytes)), launch.pairs(batch, channels));
}

}  // namespace

ConvArguments conv_arguments(const LaunchArguments& arguments, const void* tables) {
  // The stride of an axis of one element may be anything, so it is not passed on.
  const std::int64_t per_batch = arguments.batch > 1 ? 1 : 0, per_channel = arguments.channels > 1 ? 1 : 0;
  ConvArguments values;
  values.u = arguments.u.data;
  values.w = arguments.w.data;
  values.v = arguments.v.data;
  values.y = arguments.y.data;
  values.spectrum = arguments.spectrum.data();
  values.tables = tables;
  values.u_batch_stride = per_batch * arguments.u.batch_stride;
  values.u_channel_stride = per_channel * arguments.u.channel_stride;
  values.w_batch_stride = per_batch * arguments.w.batch_stride;
  values.w_channel_stride = per_channel * arguments.w.channel_stride;
  values.v_batch_stride = per_batch * arguments.v.batch_stride;
  values.v_channel_stride = per_channel * arguments.v.channel_stride;
  values.y_batch_stride = per_batch * arguments.y.batch_stride;
  values.y_channel_stride = per_channel * arguments.y.channel_stride;
  values.batch = arguments.batch;
  values.channels = arguments.channels;
  values.input_magnitudes = arguments.input_magnitudes;
  return values;
}

StreamArguments stream_arguments(const LaunchArguments& arguments, const ConvArguments& values) {
  const auto rows = [&](const TensorView& view) -> HistoryRows {
    return {view.data, arguments.batch > 1 ? view.batch_stride : 0, arguments.channels > 1 ? view.channel_stride : 0};
  };
  return {values, rows(arguments.history.u), rows(arguments.history.w)};
}

std::size_t needed_workspace_bytes(const SplitLaunch& launch, const LaunchArguments& arguments,
                                   std::size_t workspace_bytes) {
  const std::int64_t ring = ring_of(launch, workspace_bytes, arguments.batch, arguments.channels);
  return static_cast<std::size_t>(launch.workspace_bytes(ring));
}

SplitArguments split_arguments(const SplitLaunch& launch, const ConvArguments& values, const Workspace& workspace) {
  SplitArguments split;
  split.conv = values;
  split.ring = static_cast<std::int32_t>(ring_of(launch, workspace.bytes, values.batch, values.channels));
  split.workspace = workspace.data;
  split.progress = static_cast<std::byte*>(workspace.data) + split.ring * launch.pair_bytes();
  return split;
}

std::int64_t tap_stride(const Generated& generated, const FilterView& filter) {
  return filter.channel_stride != 0 ? filter.channel_stride : generated.config.filter_length;
}

FilterArguments filter_arguments(const Generated& generated, const FilterView& filter, void* spectrum, void* workspace,
                                 const void* tables) {
  FilterArguments arguments;
  arguments.k = filter.k;
  arguments.skip = filter.skip;
  arguments.spectrum = spectrum;
  arguments.workspace = workspace;
  arguments.tables = tables;
  arguments.k_channel_stride = tap_stride(generated, filter);
  arguments.channels = filter.channels;
  arguments.filter_length = static_cast<std::int32_t>(generated.config.filter_length);
  return arguments;
}

}  // namespace ffc
