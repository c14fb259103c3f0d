// A unit's share of the columns: tile after tile, of one pair from samples to frequencies, and of the pair that had its
// place in the workspace before it back to samples.
#pragma once

#include "columns_forward.cuh"
#include "columns_inverse.cuh"
#include "compute_anew.cuh"

constexpr int column_tiles = columns / tile_columns;  // of a place

// The tiles at one place: those of the pair that leaves it and of the one that comes.
struct Turn {
  Pair in, out;
  Place place;
  int first_column;
  bool exists;
};

__device__ __forceinline__ Turn turn_at(const SplitArguments& split, int index) {
//[[turn_at
  const int step = index / column_tiles;
  return {pair_at(split.conv, step), pair_at(split.conv, step - split.ring), place_of(split, step),
          index % column_tiles * tile_columns, step < pairs_of(split.conv) + split.ring};
//]]
}

// Waits for the rows of the pair that leaves. One warp asks.
__device__ __forceinline__ void wait_until_open(const SplitArguments& split, const Turn& turn, int unit, int thread) {
//[[still_open
  if (!turn.out.exists) return;
//]]
//[[rows_target
  if (thread < 32) wait_for_count(rows_done(split, turn.place), turn.place.round * (2 * column_length));
//]]
  unit_barrier(unit);
}

// Starts the copies of the tile that leaves.
//[[load_out
__device__ __forceinline__ void load_out(const SplitArguments& split, const Turn& turn, SharedAddress tile,
                                         int thread) {
  if (!turn.out.exists) return;
  load_frequencies(split, turn.place, turn.first_column, tile, thread);
}
//]]

//[[load_in
__device__ __forceinline__ void load_in(const SplitArguments& split, const Turn& turn, SharedAddress tile, int thread) {
  if (turn.in.exists) load_samples(split.conv, turn.in, turn.first_column, tile, thread);
}
//]]

__device__ __forceinline__ void turn_columns(const SplitArguments& split, SharedAddress tile, int unit, int thread) {
  const uint4* const tables = static_cast<const uint4*>(split.conv.tables);
//[[matrices
  const ColumnMatrices forward = tables + forward_matrices;
  const ColumnMatrices inverse = tables + inverse_matrices;
//]]
  // 32 bits count all tiles, of which each has 2048 samples or more.
  const int step = static_cast<int>(gridDim.x) * units;
  int index = unit * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x);
//[[turn
  (void)forward, (void)inverse, (void)step, (void)index, (void)tile, (void)thread;
//]]
}
