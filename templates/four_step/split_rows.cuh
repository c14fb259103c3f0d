// A block's share of the rows of frequencies: to the spectrum and back, in place in the workspace.
#pragma once

#include "row_walk.cuh"
#include "split_row_pairs.cuh"

// Barrier among all threads of the rows.
__device__ __forceinline__ void unit_barrier() { named_barrier<block_threads>(last_barrier); }

__device__ __forceinline__ unsigned int columns_target(const Place& place) {
  return (place.round + 1) * outer_columns::column_tiles;
}

// A block keeps its frequencies, so that the twiddles between columns and rows are made once where it has but few. Row
// `frequency` of a pair takes that row of its channel's spectrum, and so does the row of -frequency, which the
// workspace holds as its conjugate, or the next channel's in its place.
__device__ __forceinline__ void convolve_rows(const SplitArguments& split, SharedAddress shared, int unit_thread) {
  const Course course = course_of(gridDim.x, blockIdx.x, split.ring * items_per_pair);
  if (!has_rows(course)) return;
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
//[[frequency_of
  const auto frequency_of = [](int number) { return number; };
//]]
  int held = -1, buffer = 0;
  bool ahead = false;  // the first row is on its way already
//[[count_done
//]]
//[[kept_factors
//]]
  for (Walk at = start_of(course); at.item < items; at = behind(course, at)) {
    const int frequency = frequency_of(at.number);
    if (frequency != held) {
      held = frequency;
//[[frequency
//]]
    }
    const Rows mine = rows_of(split, frequency, at.item + group);
    if (group >= course.taken || mine.first >= mine.end) continue;
    if (!ahead) {
      wait_for_count(columns_done(split, mine.place), columns_target(mine.place));
      load_row(offset_of(mine, at.number, mine.first), mine, buffer);
    }
    // Starts the copies of the group's next row: the mirror, or that of another pair whose columns are there already,
    // as `count` says, which takes its time and is asked for earlier.
    const Walk next = behind(course, at);
    const Rows coming = rows_of(split, frequency_of(next.number), next.item + group);
    const auto count_behind = [&] { return read_count(columns_done(split, coming.place)); };
    const auto load_behind = [&](int side, int to, unsigned int count) {
      if (rows_at_once > 1 && side + 1 < mine.end) {
        load_row(offset_of(mine, at.number, side + 1), mine, to);
        return;
      }
      ahead = coming.first < coming.end && has_come(count, columns_target(coming.place));
      if (ahead)
        load_row(offset_of(coming, next.number, coming.first), coming, to);
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
