// The same of chunks that are read again when results are stored.
#pragma once

#include "delayed_chunks.cuh"
#include "kept_chunk.cuh"

__device__ __forceinline__ uint4 read_kept_delayed_lines(const unsigned short* samples, int gone, int live) {
  const bool whole_line = samples_behind_line(samples) == 0 && gone <= 0 && live >= 8;
  return whole_line ? load_kept(reinterpret_cast<const uint4*>(samples)) : read_delayed_lines(samples, gone, live);
}

__device__ __forceinline__ uint4 read_kept_delayed_chunk(const unsigned short* samples, int gone, int live) {
  const uint4 chunk = read_kept_delayed_lines(samples, gone, live);
  return gone > 0 || live < 8 ? part_of_chunk(chunk, gone, live) : chunk;
}
