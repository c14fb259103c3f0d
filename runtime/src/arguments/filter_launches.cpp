// Arguments and grids of the launches that prepare a filter.
#include "filter_launches.hpp"

#include <algorithm>

namespace ffc {

LaunchGrid filter_grid(const Generated& generated, int channels) {
  return {static_cast<unsigned>(std::min(channels, generated.filter_blocks) * generated.filter.cluster), 1, 1};
}

int filter_chunks(const Generated& generated, int channels) {
  return channels / generated.filter_blocks + (channels % generated.filter_blocks != 0 ? 1 : 0);
}

FilterLaunch filter_launch(const Generated& generated, const FilterArguments& all, int chunk, int step) {
  const std::int64_t first = std::int64_t{chunk} * generated.filter_blocks;  // channel
  FilterLaunch launch;
  LongFilterArguments& arguments = launch.arguments;
  arguments.k = all.k + first * all.k_channel_stride;
  arguments.skip = all.skip != nullptr ? all.skip + first : nullptr;
  arguments.spectrum = static_cast<unsigned char*>(all.spectrum) + first * generated.spectrum_row_bytes;
  arguments.workspace = all.workspace;
  arguments.tables = all.tables;
  arguments.k_channel_stride = all.k_channel_stride;
  arguments.channels = static_cast<std::int32_t>(std::min<std::int64_t>(all.channels - first, generated.filter_blocks));
  arguments.filter_length = all.filter_length;
  arguments.step = step;
  launch.grid = {static_cast<unsigned>(generated.filter_shares), static_cast<unsigned>(arguments.channels), 1};
  return launch;
}

}  // namespace ffc
