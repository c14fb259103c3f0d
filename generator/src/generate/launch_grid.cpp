// Waves of blocks that come out full.
#include "ffc/generator/launch_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ffc/generator/generated_kernel.hpp"
#include "waves.hpp"

namespace ffc {

namespace {

// Pairs of all channels shared out among clusters: in as many waves as cost next to nothing.
LaunchGrid cluster_grid(int cluster, int batch, int channels, int resident_blocks) {
  const std::int64_t resident = std::max(resident_blocks / cluster, 1);
  const std::int64_t pairs = (static_cast<std::int64_t>(batch) + 1) / 2 * channels;
  const auto time_of = [&](std::int64_t waves) {
    const std::int64_t clusters = waves * resident, rounds = (pairs + clusters - 1) / clusters;
    return static_cast<double>(waves) * (static_cast<double>(rounds) + measured::cluster_start);
  };
  std::int64_t best = 1;
  for (std::int64_t waves = 2; waves <= measured::most_cluster_waves; ++waves)
    if (measured::spared * time_of(waves) <= time_of(1)) best = waves;
  return {static_cast<unsigned>(std::min(best * resident, pairs) * cluster), 1, 1};
}

}  // namespace

int blocks_over_channels(int cluster, int slices, int channels, int resident_blocks) {
  const std::int64_t resident = std::max(resident_blocks / cluster, 1);
  const auto clusters_of = [&](std::int64_t waves) {
    return std::clamp<std::int64_t>(waves * resident / slices, 1, channels);
  };
  const auto time_of = [&](std::int64_t waves) {
    const std::int64_t clusters = clusters_of(waves);
    return (clusters * slices + resident - 1) / resident * ((channels + clusters - 1) / clusters);
  };
  std::int64_t best = 1;
  for (std::int64_t waves = 2; waves <= measured::most_cluster_waves; ++waves)
    if (static_cast<double>(time_of(waves)) < measured::spared * static_cast<double>(time_of(best))) best = waves;
  return static_cast<int>(clusters_of(best)) * cluster;
}

LaunchGrid launch_grid(const Generated& generated, int batch, int channels, int resident_blocks) {
  if (generated.conv.cluster > 1) return cluster_grid(generated.conv.cluster, batch, channels, resident_blocks);
  const std::int64_t resident = resident_blocks;
  const int of_pair = generated.split ? 2 : packed_rows(generated.packing);
  const std::int64_t pairs =
      generated.windows ? generated.windows->pairs(batch) : (static_cast<std::int64_t>(batch) + of_pair - 1) / of_pair;
  if (generated.walks_channels) {
    const std::int64_t turns = (pairs * channels + generated.groups_per_block - 1) / generated.groups_per_block;
    return {static_cast<unsigned>(std::clamp<std::int64_t>(turns, 1, resident)), 1, 1};
  }
  // Slices no thinner than one pair per group; the tables that a block loads first cost about one pair more.
  const std::int64_t most = std::clamp<std::int64_t>(pairs / generated.groups_per_block, 1, 65535);
  std::int64_t best = 1;
  double least = HUGE_VAL;
  const auto weigh = [&](std::int64_t slices) {
    const std::int64_t rounds =
        ((pairs + slices - 1) / slices + generated.groups_per_block - 1) / generated.groups_per_block;
    const std::int64_t waves = (slices * channels + resident - 1) / resident;
    const double time = static_cast<double>(waves) * (static_cast<double>(rounds) + measured::block_start);
    if (time < measured::fewer_slices * least) least = time, best = slices;
  };
  for (std::int64_t slices = 1; slices <= std::min<std::int64_t>(most, measured::most_slices_weighed); ++slices)
    weigh(slices);
  // Few channels of many windows: as many slices as fill the device, or a few times as many.
  for (std::int64_t waves = 1; waves <= measured::most_waves; ++waves)
    if (const std::int64_t slices = std::min(waves * resident / channels, most); slices > measured::most_slices_weighed)
      weigh(slices);
  return {static_cast<unsigned>(channels), static_cast<unsigned>(best), 1};
}

}  // namespace ffc
