// A block's share of the rows of frequencies: to the spectrum and back, in place in the workspace.
#pragma once

#include "split_row_pairs.cuh"

// Barrier among all threads of the rows.
__device__ __forceinline__ void unit_barrier() { named_barrier<block_threads>(last_barrier); }

__device__ __forceinline__ unsigned int columns_target(const Place& place) {
  return (place.round + 1) * outer_columns::column_tiles;
}

// Where a block is: at the row of frequencies of that number, of an item for each of its groups, `item` and on.
struct Walk {
  int item, number;
};

// A block keeps its frequencies, so that the twiddles between columns and rows are made once where it has but one;
// blocks that share them, and the groups of each, take turns at the items. Row `frequency` of a pair takes that row of
// its channel's spectrum, and so does the row of -frequency, which the workspace holds as its conjugate, or the next
// channel's in its place.
__device__ __forceinline__ void convolve_rows(const SplitArguments& split, SharedAddress shared, int unit_thread) {
  const int blocks = gridDim.x, slices = max(blocks / spectrum_rows, 1);
  const int slice = static_cast<int>(blockIdx.x) / spectrum_rows, first_number = blockIdx.x % spectrum_rows;
  if (slice >= slices) return;
  const int lane = unit_thread % 32;
  const int warp = unit_thread / 32 % group_warps;
  const int group = group_of(unit_thread);
  const int thread = unit_thread % group_threads;  // within the group
  const uint4* const tables = static_cast<const uint4*>(split.conv.tables);

//[[setup
  const Matrix radix16 = read_matrix(tables, lane);
//]]

//[[load
  const auto load_row = [&](long long offset, const Rows& of, int buffer) {
    (void)offset, (void)of, (void)buffer, commit_copies();
  };
//]]

  const int items = items_per_pair * pairs_of(split.conv);
  // Groups that meet between frequencies must not be at pairs that wait for each other's places in the workspace.
  const int taken = blocks >= spectrum_rows ? groups : min(groups, split.ring * items_per_pair);
  const auto behind_of = [&](const Walk& at) {
    const int number = at.number + blocks;
    return number < spectrum_rows ? Walk{at.item, number} : Walk{at.item + slices * taken, first_number};
  };
//[[frequency_of
  const auto frequency_of = [](int number) { return number; };
//]]
  int held = -1, buffer = 0;
  bool ahead = false;  // the first row is on its way already
//[[count_done
//]]
  for (Walk at = {slice * taken, first_number}; at.item < items; at = behind_of(at)) {
    const int frequency = frequency_of(at.number);
    if (frequency != held) {
      held = frequency;
//[[frequency
//]]
    }
    const Rows mine = rows_of(split, frequency, at.item + group);
    if (group >= taken || mine.first >= mine.end) continue;
    if (!ahead) {
      wait_for_count(columns_done(split, mine.place), columns_target(mine.place));
      load_row(offset_of(mine, at.number, mine.first), mine, buffer);
    }
    // Starts the copies of the group's next row: the mirror, or that of another pair whose columns are there already,
    // as `count` says, which takes its time and is asked for earlier.
    const Walk next = behind_of(at);
    const Rows behind = rows_of(split, frequency_of(next.number), next.item + group);
    const auto count_behind = [&] { return read_count(columns_done(split, behind.place)); };
    const auto load_behind = [&](int side, int to, unsigned int count) {
      if (rows_at_once > 1 && side + 1 < mine.end) {
        load_row(offset_of(mine, at.number, side + 1), mine, to);
        return;
      }
      ahead = behind.first < behind.end && has_come(count, columns_target(behind.place));
      if (ahead)
        load_row(offset_of(behind, next.number, behind.first), behind, to);
      else
        commit_copies();
    };
    const int end = rows_at_once > 1 ? mine.end : mine.first + 1;
    for (int side = mine.first; side < end; ++side, buffer = (buffer + 1) % buffers) {
      const long long offset = offset_of(mine, at.number, side);
      const int channel = mine.lone ? mine.channel + side : mine.channel;
      const uint4* const spectrum_tiles = reinterpret_cast<const uint4*>(
          static_cast<const unsigned char*>(split.conv.spectrum) + channel * spectrum_channel_bytes +
//[[spectrum_row
          at.number * (4LL * row_length));
//]]
//[[spectrum_power
//]]
      const SharedAddress rows_at = shared + (group * buffers + buffer) * buffer_bytes;
//[[stages
      wait_copies<0>();
      warp_barrier();
      Tile x = load_rows(rows_at + swizzled(lane));
      x = contract_as_b<false>(radix16, x);
      store_rows_transposed(rows_at + swizzled(lane), x);
//]]
//[[store
//]]
    }
    group_barrier<group_threads>(group);
//[[count
    if (thread == 0) add_to_count(rows_done(split, mine.place), mine.counts_for);
//]]
  }
}
