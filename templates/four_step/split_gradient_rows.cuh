// A block's share of the rows of frequencies of both tensors: to the spectrum, where their products join the sums of
// the batch, and back, in place in the workspace; the sums go back with a channel's last pair, or stay.
#pragma once

#include "progress_of_reads.cuh"
#include "returned_sums.cuh"

// Barrier among all threads of the rows.
__device__ __forceinline__ void unit_barrier() { named_barrier<block_threads>(last_barrier); }

// Where the walk over pairs (pair_at) is: at one of `channels_in_turn` channels from `channel` on and `slices` pairs of
// each from `pair` on, in their order. Such a lane's sums grow in one group alone, pair after pair.
struct Walk {
  int channel, pair, lane;
  int number;  // of the block's row of frequencies there
};

// Row `frequency` of a pair's tensors, and its mirror.
struct Rows {
  int channel, pair;
  int sides;    // 0: there is no such pair
  Place place;  // of the first tensor; the ring holds whole pairs
};

__device__ __forceinline__ Rows rows_of(const SplitArguments& split, int frequency, const Walk& walk, int group) {
  const int pairs = pairs_of_channel(split.conv), width = channels_in_turn(split, walk.channel);
  const int lane = walk.lane + group, pair = walk.pair + lane / width, channel = lane % width;
  const bool exists = walk.channel < split.conv.channels && lane < split.slices * width && pair < pairs;
//[[has_mirror
  const bool has_mirror = 2 * frequency % column_length != 0;
//]]
  const long long index = static_cast<long long>(tensors) * (walk.channel * pairs + pair * width + channel);
  return {walk.channel + channel, pair, !exists ? 0 : has_mirror ? 2 : 1, place_of(split, index)};
}

// The place of a pair's tensor.
__device__ __forceinline__ Place place_of_tensor(const Rows& of, int tensor) {
  return {of.place.slot + tensor, of.place.round};
}

// Where a row of a tensor begins in the workspace: its real part.
__device__ __forceinline__ long long offset_of(const Rows& of, int tensor, int frequency, int side) {
//[[row_of_side
  const int row = side == 0 ? frequency : column_length - frequency;
//]]
  return 2LL * (of.place.slot + tensor) * plane_length + static_cast<long long>(row) * row_length;
}

__device__ __forceinline__ unsigned int columns_target(const Place& place) {
  return (place.round + 1) * outer_columns::column_tiles;
}

// Whether the columns of a tensor are there already.
__device__ __forceinline__ bool is_there(const SplitArguments& split, const Rows& of, int tensor) {
  return has_count(columns_done(split, place_of_tensor(of, tensor)), columns_target(of.place));
}

__device__ __forceinline__ void wait_until_there(const SplitArguments& split, const Rows& of, int tensor) {
  wait_for_count(columns_done(split, place_of_tensor(of, tensor)), columns_target(of.place));
}

// A block keeps its frequencies, so that the twiddles between columns and rows are made once; blocks that share them,
// and the groups of each, take turns at lanes of the walk, always the same ones. Row `frequency` of a pair takes that
// row of its channel's spectrum, and so does the row of -frequency, which the workspace holds as its conjugate; the
// products of both go to the same sums.
__device__ __forceinline__ void convolve_rows(const SplitArguments& split, SharedAddress shared, int unit_thread) {
  const int slices = max(static_cast<int>(gridDim.x) / spectrum_rows, 1);
  const int slice = static_cast<int>(blockIdx.x) / spectrum_rows;
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
  const auto load_row = [&](long long offset, int buffer) { (void)offset, (void)buffer, commit_copies(); };
//]]

  // Groups that meet between frequencies must not be at pairs that wait for each other's places in the workspace.
  const int blocks = gridDim.x, first_number = blockIdx.x % spectrum_rows;
  const int taken = blocks >= spectrum_rows ? groups : min(groups, split.ring / tensors), step = slices * taken;
  const auto behind = [&](Walk at) {
    at.number += blocks;
    if (at.number < spectrum_rows) return at;
    at.number = first_number, at.lane += step;
    if (at.lane < split.slices * channels_in_turn(split, at.channel)) return at;
    at.lane = slice * taken, at.pair += split.slices;
    if (at.pair < pairs_of_channel(split.conv)) return at;
    at.pair = 0, at.channel += split.channels_at_once;
    return at;
  };
//[[frequency_of
  const auto frequency_of = [](int number) { return number; };
//]]
  int held = -1;
//[[sums
//]]
//[[ahead
  int buffer = 0;
  bool ahead = false;  // the first row is on its way already
//]]
  Walk at = {0, 0, slice * taken, first_number}, next_at;
  Rows mine = rows_of(split, frequency_of(at.number), at, group), next;
  for (; at.channel < split.conv.channels; at = next_at, mine = next) {
    const int frequency = frequency_of(at.number);
    if (frequency != held) {
      held = frequency;
//[[frequency
//]]
    }
    next_at = behind(at), next = rows_of(split, frequency_of(next_at.number), next_at, group);
    if (group >= taken || mine.sides == 0) continue;
//[[row_pointers
    const uint4* const spectrum_tiles =
        reinterpret_cast<const uint4*>(static_cast<const unsigned char*>(split.conv.spectrum) +
                                       mine.channel * spectrum_channel_bytes + frequency * (4LL * row_length));
//]]
//[[copies
    if (!ahead) {
      for (int tensor = 0; tensor < tensors; ++tensor) wait_until_there(split, mine, tensor);
      load_row(mine, 0, frequency, 0, buffer);
    }
    // Starts the copies of the group's next row: of the other tensor, the mirror, or that of another pair whose
    // columns are there already.
    const auto load_behind = [&](int side, int tensor, int to) {
      if (tensor + 1 < tensors) {
        load_row(mine, tensor + 1, frequency, side, to);
        return;
      }
      if (side + 1 < mine.sides) {
        load_row(mine, 0, frequency, side + 1, to);
        return;
      }
      ahead = next.sides > 0;
      for (int tensor = 0; tensor < tensors; ++tensor) ahead = ahead && is_there(split, next, tensor);
      if (ahead)
        load_row(next, 0, frequency_of(next_at.number), 0, to);
      else
        commit_copies();
    };
//]]
#pragma unroll 1
    for (int side = 0; side < mine.sides; ++side) {
//[[stages
      wait_copies<0>();
      warp_barrier();
      Tile x = load_rows(shared + swizzled(lane));
      x = contract_as_b<false>(radix16, x);
      store_rows_transposed(shared + swizzled(lane), x);
      (void)load_behind;
//]]
    }
    group_barrier<group_threads>(group);
//[[count
    if (thread == 0) add_to_count(rows_done(split, place_of_tensor(mine, 0)), 2 * mine.sides);
//]]
  }
}
