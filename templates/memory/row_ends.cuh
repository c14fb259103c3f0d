// Results of delayed rows, whose ends fill no line: in a row's chunks its lines, and behind them the samples of both
// ends, one a lane. A chunk at an end, sample by sample, would hold up its warp in branches of a few lanes each.
#pragma once

#include "delayed_chunks.cuh"

// Writes a chunk that has all of its samples.
template <int line_bytes>
__device__ __forceinline__ void write_if_whole(unsigned short* samples, const uint4& chunk, bool on_lines, int gone,
                                               int live) {
  if (gone <= 0 && live >= 8) write_all<line_bytes>(samples, chunk, on_lines);
}

// The same. Any other goes back to `at` in shared memory, where its samples are read one by one.
template <int line_bytes>
__device__ __forceinline__ void write_whole_chunk(unsigned short* samples, const uint4& chunk, bool on_lines, int gone,
                                                  int live, SharedAddress at) {
  if (gone > 0 || live < 8)
    store_shared(at, chunk);
  else
    write_all<line_bytes>(samples, chunk, on_lines);
}

// Lanes 0 to 7 of 16 have the samples of a row's first chunk, the others those of its last one, each its own.
__device__ __forceinline__ int sample_of_end(int lane, int end) { return lane % 8 + (lane % 16 < 8 ? 0 : end / 8 * 8); }

// Whether the row, which begins at `delay` and stops at `end`, has that sample in a chunk that is not whole.
__device__ __forceinline__ bool is_of_end(int lane, int delay, int end) {
  return lane % 16 < 8 ? delay > 0 && lane % 8 >= delay : lane % 8 < end % 8;
}
