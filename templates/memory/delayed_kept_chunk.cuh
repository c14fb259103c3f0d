// The same of chunks that are read again when results are stored.
#pragma once

#include "delayed_chunks.cuh"
#include "kept_chunk.cuh"

template <int line_bytes>
__device__ __forceinline__ uint4 read_kept_delayed_lines(const unsigned short* samples, bool on_lines, int gone,
                                                         int live) {
  const bool whole_line = line_bytes == 16 && on_lines && gone <= 0 && live >= 8;
  return whole_line ? load_kept(reinterpret_cast<const uint4*>(samples))
                    : read_delayed_lines<line_bytes>(samples, on_lines, gone, live);
}

__device__ __forceinline__ uint4 read_kept_delayed_words(const unsigned short* samples, int gone, int live) {
  return read_words(samples, max(gone, 0), min(live, 8), KeptLoad());
}

template <int line_bytes>
__device__ __forceinline__ uint4 read_kept_delayed_chunk(const unsigned short* samples, bool on_lines, int gone,
                                                         int live) {
  const uint4 chunk = read_kept_delayed_lines<line_bytes>(samples, on_lines, gone, live);
  return gone > 0 || live < 8 ? part_of_chunk(chunk, gone, live) : chunk;
}
