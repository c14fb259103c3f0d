// Chunks of rows at any address. A row that begins some samples behind a line of 16 bytes is taken as one that begins on
// the line, with nothing in those samples: what is convolved is delayed by as many, and its results lie behind their own
// line in the same way. So chunks are lines. Rows that lie otherwise behind theirs, a gate's say, are shifted on the way.
#pragma once

#include "copy.cuh"

// The chunk without its first `gone` samples, 0 to 8.
__device__ __forceinline__ uint4 without_first(const uint4& chunk, int gone) {
  unsigned int word[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) word[i] &= 2 * i + 1 < gone ? 0 : 2 * i < gone ? 0xffff0000 : 0xffffffff;
  return make_uint4(word[0], word[1], word[2], word[3]);
}

// The samples at either end of a row, one by one: those of a chunk from `first` to `end`; the others are zero.
__device__ __forceinline__ uint4 read_samples(const unsigned short* samples, int first, int end) {
  uint4 chunk = make_uint4(0, 0, 0, 0);
#pragma unroll 1
  for (int i = 7; i >= 0; --i) {
    chunk.w = __funnelshift_r(chunk.z, chunk.w, 16), chunk.z = __funnelshift_r(chunk.y, chunk.z, 16);
    chunk.y = __funnelshift_r(chunk.x, chunk.y, 16), chunk.x <<= 16;
    if (i >= first && i < end) chunk.x |= load_streamed(samples + i);
  }
  return chunk;
}

__device__ __forceinline__ void write_samples(unsigned short* samples, uint4 chunk, int first, int end) {
#pragma unroll 1
  for (int i = 0; i < min(end, 8); ++i) {
    if (i >= first) store_streamed(samples + i, static_cast<unsigned short>(chunk.x));
    chunk.x = __funnelshift_r(chunk.x, chunk.y, 16), chunk.y = __funnelshift_r(chunk.y, chunk.z, 16);
    chunk.z = __funnelshift_r(chunk.z, chunk.w, 16), chunk.w >>= 16;
  }
}

// The chunk at `samples`, of which the first `gone` do not exist, and `live` do with them (any values).
__device__ __forceinline__ uint4 read_delayed_chunk(const unsigned short* samples, int gone, int live) {
  if (samples_behind_line(samples) == 0 && live >= 8) {
    if (gone <= 0) return load_streamed(reinterpret_cast<const uint4*>(samples));
    return without_first(load_part(samples, gone, 8 - gone), gone);
  }
  if (gone <= 0 && has_lines(samples, live)) return read_lines(samples);
  return read_samples(samples, gone, live);
}

// Starts its load. What is `read_once` leaves the L2 cache to others.
template <bool read_once = false>
__device__ __forceinline__ void load_delayed_chunk(SharedAddress to, const unsigned short* samples, int gone, int live) {
  if (gone > 0 || samples_behind_line(samples) != 0)
    store_shared(to, read_delayed_chunk(samples, gone, live));
  else if constexpr (read_once)
    copy_async_once(to, samples, min(max(2 * live, 0), 16));
  else
    copy_async<16>(to, samples, min(max(2 * live, 0), 16));
}

// Writes those of its samples that exist.
__device__ __forceinline__ void write_delayed_chunk(unsigned short* samples, const uint4& chunk, int gone, int live) {
  if (gone > 0 || live < 8) return write_samples(samples, chunk, gone, live);
  if (samples_behind_line(samples) != 0) return write_words(samples, chunk);
  store_streamed(reinterpret_cast<uint4*>(samples), chunk);
}
