// The launches of a backward kernel: chunk by chunk of the channels, gradients of the rows and then those of the
// filter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "ffc/generator/launch_grid.hpp"
#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// Throws LaunchError for anything in `arguments` that the kernel cannot run with on that device.
void check_backward(const Generated& generated, int device, const BackwardArguments& arguments);

/// Which of a config's tensors its gradients read.
struct BackwardInputs {
  bool u = false, w = false, v = false;
};
[[nodiscard]] BackwardInputs inputs_of(const ConvConfig& config);

/// The elements between rows of dk.
[[nodiscard]] std::int64_t dk_stride(const ConvConfig& config, const BackwardArguments& arguments);

/// Puts into an entry's arguments where the taps of the channels from `first` on go.
template <class Values>
void put_taps(Values& values, const ConvConfig& config, const BackwardArguments& arguments, std::int64_t first) {
  values.dk_channel_stride = dk_stride(config, arguments);
  if (arguments.dk != nullptr) values.dk = arguments.dk + first * values.dk_channel_stride;
  if (arguments.dd != nullptr) values.dd = arguments.dd + first;
}

/// Places of the filter gradient's workspace, for so many channels: of its blocks, or, where it is launched once a
/// step, of the channels that it takes at a time. Sizes and launches go by these.
[[nodiscard]] inline int inverse_places(const BackwardLaunch& launch, int channels) {
  return std::min(channels, launch.inverse_blocks);
}

/// Magnitudes of the channels from `first` on.
[[nodiscard]] RowMagnitudes magnitudes_from(const RowMagnitudes& magnitudes, std::int64_t first);

/// The tensors of `channels` channels from `first` on, those that the kernel reads and writes, and the spectrum.
[[nodiscard]] GradientArguments gradient_arguments(const Generated& generated, const BackwardArguments& arguments,
                                                   const void* tables, int first, int channels);

/// The workspace of a chunk of channels: sums of every channel and slice, then u's frequencies of each block,
/// where they wait, then what the blocks of the filter gradient need.
class BackwardSizes {
 public:
  /// Of a launch of so many channels of gradients in one block, or in a cluster whose blocks share channels, on a
  /// device that holds `resident_blocks`. One channel takes the same on all devices.
  BackwardSizes(const Generated& generated, int batch, int channels, int resident_blocks)
      : launch_(*generated.backward),
        cluster_(generated.conv.cluster),
        pairs_per_slice_(launch_.pairs_per_slice(batch, channels)),
        slices_(launch_.slices_of(batch, pairs_per_slice_)),
        resident_blocks_(resident_blocks) {}

  [[nodiscard]] int pairs_per_slice() const { return pairs_per_slice_; }
  [[nodiscard]] int slices() const { return slices_; }
  [[nodiscard]] std::size_t sums(int channels) const {
    return of_slices(makes_taps() ? launch_.sums_bytes_of_taps : launch_.sums_bytes, channels);
  }
  /// Whether blocks make taps of their sums, and nothing waits for the filter's gradient.
  [[nodiscard]] bool makes_taps() const { return launch_.makes_taps(slices_); }
  [[nodiscard]] std::size_t parked(int channels) const { return of_slices(launch_.parked_bytes, blocks(channels)); }
  /// Of a slice: one for each channel, or clusters that walk over them.
  [[nodiscard]] int blocks(int channels) const {
    return cluster_ == 1 ? channels : blocks_over_channels(cluster_, slices_, channels, resident_blocks_);
  }
  [[nodiscard]] std::size_t bytes(int channels) const;
  /// The most channels that so many bytes serve, 0 where they serve none.
  [[nodiscard]] int channels_of(std::size_t bytes, int at_most) const;

 private:
  [[nodiscard]] std::size_t of_slices(std::int64_t bytes, int channels) const {
    return static_cast<std::size_t>(bytes) * static_cast<std::size_t>(slices_) * static_cast<std::size_t>(channels);
  }

  const BackwardLaunch& launch_;
  int cluster_, pairs_per_slice_, slices_, resident_blocks_;
};

/// Channels that a launch takes at a time: all, or as many as 256 MB of workspace serve, in whole waves of
/// `resident_blocks` where they fill one.
[[nodiscard]] int chunk_of(const Generated& generated, int batch, int channels, int resident_blocks);

/// The launches of one chunk.
struct BackwardChunk {
  GradientArguments gradients;
  ChannelReport* report = nullptr;  ///< of the chunk's first channel and on
  LaunchGrid grid;
  std::optional<FilterGradientArguments> filter;  ///< where sums wait for the filter's gradient
};

/// Those of `channels` channels from `first` on, of a chunk whose taps `filter` makes.
[[nodiscard]] FilterGradientArguments of_channels(const BackwardLaunch& launch, const FilterGradientArguments& filter,
                                                  int first, int channels);

/// What a filter gradient entry that is launched once a step is given in step `step`.
[[nodiscard]] LongFilterGradientArguments in_step(const FilterGradientArguments& filter, int step);

/// What all chunks of a launch have in common.
struct BackwardPlace {
  const void* tables = nullptr;         ///< of the gradients' kernel
  const void* filter_tables = nullptr;  ///< of the filter gradient's
  Workspace workspace;                  ///< as many bytes as one channel takes, or more
  int resident_blocks = 1;              ///< that the device holds at a time
  unsigned slices = 1;                  ///< of the batch, for a kernel without sums
};

/// The chunk that begins at channel `first`, of `channels`. The arguments have been checked.
[[nodiscard]] BackwardChunk backward_chunk(const Generated& generated, const BackwardArguments& arguments,
                                           const BackwardPlace& place, const BackwardSizes& sizes, int first,
                                           int channels);

/// Calls launch(chunk) for every chunk in turn, of `at_once` channels or as many as the workspace serves.
template <class Launch>
void for_each_backward_chunk(const Generated& generated, const BackwardArguments& arguments, const BackwardPlace& place,
                             int at_once, Launch launch) {
  const BackwardSizes sizes(generated, arguments.batch, arguments.channels, place.resident_blocks);
  const int step = sizes.bytes(1) > 0 ? sizes.channels_of(place.workspace.bytes, at_once) : arguments.channels;
  for (int first = 0; first < arguments.channels; first += step)
    launch(backward_chunk(generated, arguments, place, sizes, first, std::min(step, arguments.channels - first)));
}

/// Calls run(arguments, grid) for each step of a filter gradient's entry that is launched once a step, for as many
/// channels of the chunk at a time as its workspace has places for.
template <class Run>
void for_each_filter_gradient_step(const BackwardLaunch& launch, const FilterGradientArguments& filter,
                                   const Run& run) {
  const int at_once = inverse_places(launch, filter.channels);
  for (int first = 0; first < filter.channels; first += at_once) {
    const FilterGradientArguments some = of_channels(launch, filter, first, std::min(at_once, filter.channels - first));
    const LaunchGrid grid = {static_cast<unsigned>(launch.inverse_shares), static_cast<unsigned>(some.channels), 1};
    for (int step = 0; step < launch.inverse_steps; ++step) run(in_step(some, step), grid);
  }
}

/// The same for any filter gradient's entry, of which one that has no steps is launched once for the chunk.
template <class Run>
void for_each_filter_gradient_launch(const BackwardLaunch& launch, const FilterGradientArguments& filter,
                                     const Run& run) {
  if (launch.inverse_steps > 1) return for_each_filter_gradient_step(launch, filter, run);
  run(filter, LaunchGrid{static_cast<unsigned>(inverse_places(launch, filter.channels)), 1, 1});
}

}  // namespace ffc
