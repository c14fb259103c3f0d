// The launches of a backward kernel past one block: chunk by chunk of the channels, gradients of the rows by one
// cooperative kernel, and those of the filter step by step.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backward_launches.hpp"
#include "ffc/generator/launch_grid.hpp"
#include "report_launches.hpp"

namespace ffc {

/// How a workspace is shared out: complex rows of the ring, their counts, sums of a chunk of channels, and what the
/// transforms of those sums take.
class SplitBackwardSizes {
 public:
  SplitBackwardSizes(const Generated& generated, int batch);

  /// Complex rows that the ring holds at most, of `ring_bytes` of them or as many as a few pairs need: whole pairs.
  [[nodiscard]] std::int64_t wanted_ring(std::size_t ring_bytes, int channels) const;
  [[nodiscard]] std::size_t ring(std::int64_t rows) const;
  /// Of so many channels; where sums go back with a channel's last pair, of those that have some at a time.
  [[nodiscard]] std::size_t sums(int channels) const;
  /// Sums, and what their transforms take.
  [[nodiscard]] std::size_t of_channels(int channels) const;
  /// The least that will do: one pair under way, one channel.
  [[nodiscard]] std::size_t least() const { return ring(launch_.tensors) + of_channels(1); }

  /// Complex rows of the ring and channels of a chunk in so many bytes, at least least().
  struct Share {
    std::int64_t ring;
    int channels;
  };
  [[nodiscard]] Share share(std::size_t bytes, std::int64_t wanted_ring, int channels) const;

  [[nodiscard]] int slices() const { return slices_; }

 private:
  const SplitLaunch& split_;
  const BackwardLaunch& launch_;
  int pairs_, slices_;
};

/// Device bytes that a launch is best given: as many complex rows in the ring as `ring_bytes` hold, and at most 256 MB
/// in all or what one channel takes.
[[nodiscard]] std::size_t split_backward_bytes(const Generated& generated, int batch, int channels,
                                               std::size_t ring_bytes);

/// What all chunks of a launch have in common.
struct SplitBackwardPlace {
  const void* tables = nullptr;  ///< of the gradients' kernel
  Workspace workspace;           ///< at least SplitBackwardSizes::least()
  std::size_t ring_bytes = 0;    ///< as of split_backward_bytes
  int blocks = 1;                ///< that the gradients' kernel is launched with
};

/// The arguments of the chunk that begins at channel `first`.
[[nodiscard]] SplitGradientArguments split_gradient_arguments(const Generated& generated,
                                                              const BackwardArguments& arguments,
                                                              const SplitBackwardPlace& place,
                                                              const SplitBackwardSizes::Share& share, int first,
                                                              int channels);

/// What makes taps of the sums of that chunk.
[[nodiscard]] FilterGradientArguments filter_gradient_arguments(const Generated& generated,
                                                                const BackwardArguments& arguments,
                                                                const SplitGradientArguments& chunk, int first);

/// Calls, for every chunk of the channels in turn, clear(progress, bytes) and gradients(arguments, the report's
/// records), and where sums stay filter(arguments, grid) for each step that makes taps of them.
template <class Clear, class Gradients, class Filter>
void for_each_split_backward_launch(const Generated& generated, const BackwardArguments& arguments,
                                    const SplitBackwardPlace& place, const Clear& clear, const Gradients& gradients,
                                    const Filter& filter) {
  const SplitBackwardSizes sizes(generated, arguments.batch);
  const SplitBackwardSizes::Share share =
      sizes.share(place.workspace.bytes, sizes.wanted_ring(place.ring_bytes, arguments.channels), arguments.channels);
  for (int first = 0; first < arguments.channels; first += share.channels) {
    const int channels = std::min(share.channels, arguments.channels - first);
    const SplitGradientArguments chunk = split_gradient_arguments(generated, arguments, place, share, first, channels);
    clear(chunk.progress, static_cast<std::size_t>(chunk.ring * generated.split->progress_bytes));
    gradients(chunk, report_from(arguments.report, first));
    if (generated.backward->filter_gradient)
      for_each_filter_gradient_step(*generated.backward, filter_gradient_arguments(generated, arguments, chunk, first),
                                    filter);
  }
}

}  // namespace ffc
