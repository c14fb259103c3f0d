// How the batch of gradients is shared out.

#include "ffc/generator/generated_kernel.hpp"

#include <algorithm>

#include "choices.hpp"
#include "waves.hpp"

namespace ffc {

namespace {

int shares(int count, int of_share) { return count / of_share + (count % of_share != 0 ? 1 : 0); }

// In pairs of a group: waves of slices of so many pairs of `count`, and taps: of one slice where the block makes them,
// else of the sums that the filter's gradient reads.
double time_of(const BackwardLaunch& launch, int of_slice, int count, int channels) {
  const int slices = shares(count, of_slice);
  const std::int64_t waves = (std::int64_t{slices} * channels - 1) / launch.resident_slices + 1;
  const bool in_block = launch.makes_taps(slices);
  const double of_wave = shares(of_slice, launch.pairs_at_once) + measured::slice_start;
  if (in_block) return static_cast<double>(waves) * (of_wave + measured::taps_of_block);
  const double taps = launch.ends_in_taps ? measured::taps_of_sums * shares(channels, launch.resident_slices) : 0;
  return static_cast<double>(waves) * of_wave + taps +
         measured::sums_of_slice * slices * shares(channels, measured::usual_blocks);
}

}  // namespace

std::int64_t BackwardLaunch::pairs(int batch) const {
  if (windows) return windows->pairs(batch);
  return are_alone(packing) ? batch : batch / 2 + batch % 2;
}

int BackwardLaunch::pairs_per_slice(int batch, int channels) const {
  // Few channels may have all windows, which blocks share as slices.
  const int most_slices = windows ? 64 : 16;
  const auto count = static_cast<int>(pairs(batch));
  const int usual = std::max(least_pairs, shares(count, most_slices));
  if (resident_slices == 0) return usual;
  int best = usual;
  double least = measured::spared_by_slices * time_of(*this, std::min(usual, count), count, channels);
  for (int slices = 1; slices <= most_slices; ++slices) {
    const int of_slice = shares(count, slices);
    const double time = time_of(*this, of_slice, count, channels);
    if (time < least) least = time, best = of_slice;
  }
  return best;
}

int BackwardLaunch::slices_of(int batch, int pairs_of_slice) const {
  return shares(static_cast<int>(pairs(batch)), pairs_of_slice);
}

}  // namespace ffc
