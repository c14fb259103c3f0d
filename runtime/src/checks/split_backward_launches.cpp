// Sizes and arguments of backward launches past one block.
#include "split_backward_launches.hpp"

#include <numeric>

namespace ffc {
namespace {

constexpr std::size_t most_workspace = 256 << 20;  // as of other gradients
constexpr std::int64_t most_pairs_of_launch = std::int64_t{1}
                                              << 29;  // which the kernel counts in 32 bits, both tensors

// Groups of rows that work on one frequency at a time, each on channels and slices of its own. Where a block has
// several frequencies, no more than the ring has pairs for (split_gradient_rows.cuh, `taken`).
int groups_of_frequency(const Generated& generated, int blocks, std::int64_t ring) {
  const int rows = generated.split->spectrum_rows, groups = generated.groups_per_block;
  if (blocks >= rows) return blocks / rows * groups;
  return static_cast<int>(std::min<std::int64_t>(groups, ring / generated.backward->tensors));
}

// As few channels at a time as keep all groups equally at work: their sums stay in the cache.
int channels_in_turn(int groups, int slices, int channels) {
  return std::min(channels, groups / std::gcd(groups, slices));
}

}  // namespace

SplitBackwardSizes::SplitBackwardSizes(const Generated& generated, int batch)
    : split_(*generated.split),
      launch_(*generated.backward),
      pairs_(static_cast<int>(launch_.pairs(batch))),
      slices_(launch_.slices(batch, 1)) {}  // of any channels

std::int64_t SplitBackwardSizes::wanted_ring(std::size_t ring_bytes, int channels) const {
  const std::int64_t row = split_.pair_bytes(), tensors = launch_.tensors;
  const bool alone = split_.packing == Packing::right_angle;
  const auto bytes = static_cast<std::int64_t>(ring_bytes) * (alone ? 5 : 6) / 6;
  // Few pairs wait for each other: three or four are worth somewhat more memory, and two whatever it takes. Where not
  // even these stay in the cache, three are.
  const std::int64_t most = (alone ? 3 : 4) * tensors;
  const bool beyond = alone && 3 * row > 2 * bytes;
  const std::int64_t few = beyond ? most : std::clamp(bytes * 3 / 2 / row, 2 * tensors, most);
  const std::int64_t all = tensors * pairs_ * channels;
  return std::min(std::max(bytes / row, few), all) / tensors * tensors;
}

std::size_t SplitBackwardSizes::ring(std::int64_t rows) const {
  return static_cast<std::size_t>(split_.workspace_bytes(rows));
}

std::size_t SplitBackwardSizes::sums(int channels) const {
  const int of_one_pair = launch_.returns_sums && pairs_ == 1 ? 0 : slices_;
  const int at_once = launch_.returns_sums ? std::min(channels, launch_.channels_at_once) : channels;
  return static_cast<std::size_t>(launch_.sums_bytes) * static_cast<std::size_t>(of_one_pair) *
         static_cast<std::size_t>(at_once);
}

std::size_t SplitBackwardSizes::of_channels(int channels) const {
  return sums(channels) +
         static_cast<std::size_t>(launch_.inverse_bytes) * static_cast<std::size_t>(inverse_places(launch_, channels));
}

SplitBackwardSizes::Share SplitBackwardSizes::share(std::size_t bytes, std::int64_t wanted_ring, int channels) const {
  const std::int64_t held = split_.ring_of(static_cast<std::int64_t>(bytes - of_channels(1)));
  const std::int64_t rows = std::min(wanted_ring, held / launch_.tensors * launch_.tensors);
  int low = 1,
      high =
          static_cast<int>(std::min<std::int64_t>(channels, std::max<std::int64_t>(1, most_pairs_of_launch / pairs_)));
  while (low < high) {
    const int middle = high - (high - low) / 2;
    if (ring(rows) + of_channels(middle) <= bytes)
      low = middle;
    else
      high = middle - 1;
  }
  return {rows, low};
}

std::size_t split_backward_bytes(const Generated& generated, int batch, int channels, std::size_t ring_bytes) {
  const SplitBackwardSizes sizes(generated, batch);
  const std::int64_t rows = sizes.wanted_ring(ring_bytes, channels);
  const std::size_t most = std::max(most_workspace, sizes.ring(rows) + sizes.of_channels(1));
  return sizes.ring(rows) + sizes.of_channels(sizes.share(most, rows, channels).channels);
}

SplitGradientArguments split_gradient_arguments(const Generated& generated, const BackwardArguments& arguments,
                                                const SplitBackwardPlace& place, const SplitBackwardSizes::Share& share,
                                                int first, int channels) {
  const SplitBackwardSizes sizes(generated, arguments.batch);
  SplitGradientArguments split;
  split.conv = gradient_arguments(generated, arguments, place.tables, first, channels);
  split.workspace = place.workspace.data;
  split.ring = static_cast<std::int32_t>(share.ring);
  split.progress = static_cast<std::byte*>(place.workspace.data) + share.ring * generated.split->pair_bytes();
  split.conv.sums = static_cast<std::byte*>(place.workspace.data) + sizes.ring(share.ring);
  split.slices = sizes.slices();
  if (generated.backward->returns_sums) put_taps(split.conv, generated.config, arguments, first);
  const int groups = groups_of_frequency(generated, place.blocks, share.ring);
  split.channels_at_once = channels_in_turn(groups, split.slices, channels);
  if (generated.backward->returns_sums)
    split.channels_at_once = std::min(split.channels_at_once, generated.backward->channels_at_once);
  return split;
}

FilterGradientArguments filter_gradient_arguments(const Generated& generated, const BackwardArguments& arguments,
                                                  const SplitGradientArguments& chunk, int first) {
  FilterGradientArguments values;
  values.sums = chunk.conv.sums;
  put_taps(values, generated.config, arguments, first);
  values.workspace = static_cast<std::byte*>(chunk.conv.sums) +
                     SplitBackwardSizes(generated, arguments.batch).sums(chunk.conv.channels);
  values.channels = chunk.conv.channels;
  values.slices = chunk.slices;
  if (!generated.magnitudes_of_rows) {  // else sums are those of the rows as they came
    values.input_magnitudes = chunk.conv.input_magnitudes;
    values.gradient_magnitudes = chunk.conv.gradient_magnitudes;
  }
  return values;
}

}  // namespace ffc
