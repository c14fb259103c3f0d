// Chunks of rows at any address. A row that begins some samples behind a line of 16 bytes is taken as one that begins
// on the line, with nothing in those samples: what is convolved is delayed by as many, and its results lie behind their
// own line in the same way. So chunks are lines; or consist of some, of 8 or 4 bytes, where there is no room for more
// delay. Rows that lie otherwise behind theirs, a gate's say, are shifted on the way.
#pragma once

#include "copy.cuh"

// The samples of a chunk from `first` on to `end`, any values; the others are zero.
__device__ __forceinline__ uint4 part_of_chunk(const uint4& chunk, int first, int end) {
  unsigned int word[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const unsigned int low = 2 * i >= first && 2 * i < end ? 0xffff : 0;
    const unsigned int high = 2 * i + 1 >= first && 2 * i + 1 < end ? 0xffff0000 : 0;
    word[i] &= low | high;
  }
  return make_uint4(word[0], word[1], word[2], word[3]);
}

// The chunk at `samples`, of which the first `gone` do not exist, and `live` do with them (any values); in the place of
// the others is anything. `on_lines`: its row begins on a line of `line_bytes`. Lines are asked for that hold some of
// it.
template <int line_bytes>
__device__ __forceinline__ uint4 read_delayed_lines(const unsigned short* samples, bool on_lines, int gone, int live) {
  const int first = max(gone, 0), end = min(live, 8);
  uint4 low = make_uint4(0, 0, 0, 0);
  if (line_bytes == 16 && on_lines) {
    if (first < end) low = load_part(samples, first, end - first);
    return low;
  }
  const int behind = samples_behind_line(samples);
  const unsigned short* const line = samples - behind;
  const int end_of_low = min(end, 8 - behind), first_of_high = max(first, 8 - behind);
  if (first < end_of_low) low = load_part(line, behind + first, end_of_low - first);
  uint4 high = make_uint4(0, 0, 0, 0);
  if (first_of_high < end) high = load_part(line + 8, first_of_high - (8 - behind), end - first_of_high);
  return across_lines(low, high, behind);
}

#ifndef FFC_HOST  // the host has a twin of this

// The samples from `first` on to `end` of the chunk at `samples`, at any even address, by the words of two that hold
// some of them; in the place of the others is anything.
template <class Load>
__device__ __forceinline__ uint4 read_words(const unsigned short* samples, int first, int end, const Load& load) {
  const int behind = samples_behind_line<4>(samples);
  const unsigned int* const from = reinterpret_cast<const unsigned int*>(samples - behind);
  unsigned int word[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) word[i] = first <= 2 * i + 1 - behind && end > 2 * i - behind ? load(from + i) : 0;
  return make_uint4(__funnelshift_r(word[0], word[1], 16 * behind), __funnelshift_r(word[1], word[2], 16 * behind),
                    __funnelshift_r(word[2], word[3], 16 * behind), __funnelshift_r(word[3], word[4], 16 * behind));
}

#endif

// The same as read_delayed_lines in a third of the instructions and more than twice the loads.
__device__ __forceinline__ uint4 read_delayed_words(const unsigned short* samples, int gone, int live) {
  return read_words(samples, max(gone, 0), min(live, 8), StreamedLoad());
}

// The same as read_delayed_lines with zeros in the place of the others.
template <int line_bytes>
__device__ __forceinline__ uint4 read_delayed_chunk(const unsigned short* samples, bool on_lines, int gone, int live) {
  const uint4 chunk = read_delayed_lines<line_bytes>(samples, on_lines, gone, live);
  return gone > 0 || live < 8 ? part_of_chunk(chunk, gone, live) : chunk;
}

#ifndef FFC_HOST  // the host has a twin of this

// Starts the copy of a chunk in lines, whose samples from `end` on become zero. What is there ahead of `first` may be
// of another row, or of nobody.
template <int line_bytes, bool read_once>
__device__ __forceinline__ void copy_lines(SharedAddress to, const unsigned short* samples, int first, int end) {
  (void)first;
  load_chunk<line_bytes, read_once>(to, samples, end);
}

#endif

// Starts its load. Of a chunk on a line more may come than its row has ahead: drop_ahead() empties that.
template <int line_bytes, bool read_once = false>
__device__ __forceinline__ void load_delayed_chunk(SharedAddress to, const unsigned short* samples, bool on_lines,
                                                   int gone, int live) {
  if (on_lines)
    copy_lines<line_bytes, read_once>(to, samples, gone, live);
  else
    store_shared(to, read_delayed_chunk<line_bytes>(samples, on_lines, gone, live));
}

// Empties the samples ahead of a row in its first chunk, which this thread has copied.
__device__ __forceinline__ void drop_ahead(SharedAddress at, int delay) {
  if (delay > 0) store_shared(at, part_of_chunk(load_shared(at), delay, 8));
}

// The same in the register of the row's first tile that holds the first chunk: down the tile's first column, in the low
// halves of every fourth lane.
__device__ __forceinline__ void drop_from_tile(unsigned int& first, int delay, int lane) {
  if (lane % 4 == 0 && lane / 4 < delay) first &= 0xffff0000;
}

// Starts the load of a chunk without what is ahead of its row, for which nobody looks later.
template <int line_bytes, bool read_once = false>
__device__ __forceinline__ void load_dropped_chunk(SharedAddress to, const unsigned short* samples, bool on_lines,
                                                   int gone, int live) {
  if (gone > 0)
    store_shared(to, read_delayed_chunk<line_bytes>(samples, on_lines, gone, live));
  else
    load_delayed_chunk<line_bytes, read_once>(to, samples, on_lines, gone, live);
}

// Writes all of a chunk's samples.
template <int line_bytes>
__device__ __forceinline__ void write_all(unsigned short* samples, const uint4& chunk, bool on_lines) {
  if (line_bytes == 16 && on_lines) return store_streamed(reinterpret_cast<uint4*>(samples), chunk);
  write_words(samples, chunk);
}

// Writes those of its samples that exist.
template <int line_bytes>
__device__ __forceinline__ void write_delayed_chunk(unsigned short* samples, const uint4& chunk, bool on_lines,
                                                    int gone, int live) {
  if (gone <= 0 && live >= 8) return write_all<line_bytes>(samples, chunk, on_lines);
  const unsigned int pair[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const bool low = 2 * i >= gone && 2 * i < live, high = 2 * i + 1 >= gone && 2 * i + 1 < live;
    if (low && high && on_lines) {
      store_streamed(reinterpret_cast<unsigned int*>(samples) + i, pair[i]);
    } else {
      if (low) store_streamed(samples + 2 * i, static_cast<unsigned short>(pair[i]));
      if (high) store_streamed(samples + 2 * i + 1, static_cast<unsigned short>(pair[i] >> 16));
    }
  }
}
