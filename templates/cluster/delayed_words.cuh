// Words of rows at any address, which are delayed until they begin on a line of 16 bytes (delayed_chunks.cuh). Rows
// that lie otherwise behind their line are taken sample by sample.
#pragma once

#include "cluster_words.cuh"
#include "copy.cuh"

// Whether so many words may be read at once.
template <int count>
__device__ __forceinline__ bool is_on_line(const unsigned short* samples) {
  return samples_behind_line<4 * count>(samples) == 0;
}

// The samples of word `i`: whether both exist, and lie in one word of memory.
__device__ __forceinline__ bool is_word(const unsigned short* samples, int i, int gone, int live) {
  return 2 * i >= gone && 2 * i + 1 < live && samples_behind_line<4>(samples) == 0;
}

// The words at `samples`, which begin `on_line` where so many may be read at once. The first `gone` samples do not
// exist, and `live` do with them (any values).
template <int count>
__device__ __forceinline__ Words<count> read_delayed_words(const unsigned short* samples, bool on_line, int gone,
                                                           int live) {
  Words<count> x = {};
  if (on_line && gone <= 0 && live >= 2 * count) {
    read_whole(samples, x);
    return x;
  }
  if (live <= 0) return x;
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if (is_word(samples, i, gone, live)) {
      x.word[i] = load_streamed(reinterpret_cast<const unsigned int*>(samples) + i);
    } else {
      const unsigned int low = 2 * i >= gone && 2 * i < live ? load_streamed(samples + 2 * i) : 0;
      const unsigned int high = 2 * i + 1 >= gone && 2 * i + 1 < live ? load_streamed(samples + 2 * i + 1) : 0;
      x.word[i] = low | high << 16;
    }
  }
  return x;
}

// Writes those samples that exist.
template <int count>
__device__ __forceinline__ void write_delayed_words(unsigned short* samples, const Words<count>& x, bool on_line,
                                                    int gone, int live) {
  if (on_line && gone <= 0 && live >= 2 * count) {
    using Vector = decltype(as_vector(x));
    store_streamed(reinterpret_cast<Vector*>(samples), as_vector(x));
    return;
  }
  if (live <= 0) return;
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if (is_word(samples, i, gone, live)) {
      store_streamed(reinterpret_cast<unsigned int*>(samples) + i, x.word[i]);
    } else {
      if (2 * i >= gone && 2 * i < live) store_streamed(samples + 2 * i, static_cast<unsigned short>(x.word[i]));
      if (2 * i + 1 >= gone && 2 * i + 1 < live)
        store_streamed(samples + 2 * i + 1, static_cast<unsigned short>(x.word[i] >> 16));
    }
  }
}
