// Chunks of 8 samples (16 bytes) between global and shared memory, and the barriers around them.
#pragma once

#include "barriers.cuh"
#include "global.cuh"
#include "shared_words.cuh"

#ifndef FFC_HOST  // the host has twins of these

// Starts the copy of `bytes` bytes, of which the first `valid` are read and the rest become zero.
template <int bytes>
__device__ __forceinline__ void copy_async(SharedAddress to, const void* from, int valid) {
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(bytes), "r"(valid)
                 : "memory");
  }
}

// The same, 16 bytes, where nobody reads them again soon: they are the first to leave the L2 cache.
__device__ __forceinline__ void copy_async_once(SharedAddress to, const void* from, int valid) {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(to), "l"(from), "r"(valid),
               "l"(policy)
               : "memory");
}

// The 8 samples of a line of 16 bytes. Only those from `first` on, `count`, are asked for: the others may be of another
// row, or of nobody.
__device__ __forceinline__ uint4 load_part(const unsigned short* line, int first, int count) {
  (void)first, (void)count;
  return __ldcs(reinterpret_cast<const uint4*>(line));
}

// Closes a group of asynchronous copies.
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most `pending` of this thread's copy groups are still under way.
template <int pending>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

#endif

// How many samples the chunk at `samples` lies behind the beginning of a line of so many bytes.
template <int line_bytes = 16>
__device__ __forceinline__ int samples_behind_line(const unsigned short* samples) {
  return static_cast<int>(reinterpret_cast<unsigned long long>(samples) >> 1 & (line_bytes / 2 - 1));
}

// Whether both lines that hold the chunk at `samples` may be read: all that is behind it in them is of its row too.
__device__ __forceinline__ bool has_lines(const unsigned short* samples, int live) {
  const int behind = samples_behind_line(samples);
  return live >= (behind == 0 ? 8 : 16 - behind);
}

// The 8 samples that begin `behind` samples, 0 to 7, behind the first of two lines.
__device__ __forceinline__ uint4 across_lines(const uint4& low, const uint4& high, int behind) {
  unsigned int word[6];
  const bool by_four = behind & 4, by_two = behind & 2;
  word[0] = by_four ? low.z : low.x, word[1] = by_four ? low.w : low.y, word[2] = by_four ? high.x : low.z;
  word[3] = by_four ? high.y : low.w, word[4] = by_four ? high.z : high.x, word[5] = by_four ? high.w : high.y;
#pragma unroll
  for (int i = 0; i < 5; ++i) word[i] = by_two ? word[i + 1] : word[i];
  const unsigned int bits = 16 * (behind & 1);
  return make_uint4(__funnelshift_r(word[0], word[1], bits), __funnelshift_r(word[1], word[2], bits),
                    __funnelshift_r(word[2], word[3], bits), __funnelshift_r(word[3], word[4], bits));
}

// The chunk at `samples`, at any even address, out of the two lines that hold it.
__device__ __forceinline__ uint4 read_lines(const unsigned short* samples) {
  const int behind = samples_behind_line(samples);
  const unsigned short* const line = samples - behind;
  const uint4 low = load_part(line, behind, 8 - behind), high = load_part(line + (behind != 0 ? 8 : 0), 0, behind);
  return across_lines(low, high, behind);
}

// Starts the load of the chunk at `samples`, of which `live` samples (any value, clamped to 0..8) exist; more than 8
// say that the row goes on. Rows start at a multiple of `alignment` bytes; with 2 nothing wider than one sample can be
// copied at once. What is `read_once` leaves the L2 cache to others.
template <int alignment, bool read_once = false>
__device__ __forceinline__ void load_chunk(SharedAddress to, const unsigned short* samples, int live) {
  if constexpr (alignment >= 4) {
#pragma unroll
    for (int piece = 0; piece < 16; piece += alignment) {
      const int valid = min(max(2 * live - piece, 0), alignment);
      const unsigned short* const from = valid > 0 ? samples + piece / 2 : samples;
      if constexpr (read_once && alignment == 16)
        copy_async_once(to + piece, from, valid);
      else
        copy_async<alignment>(to + piece, from, valid);
    }
  } else if (has_lines(samples, live)) {
    store_shared(to, read_lines(samples));
  } else {
    unsigned int pair[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const unsigned int low = 2 * i < live ? load_global(samples + 2 * i) : 0;
      const unsigned int high = 2 * i + 1 < live ? load_global(samples + 2 * i + 1) : 0;
      pair[i] = low | high << 16;
    }
    store_shared(to, make_uint4(pair[0], pair[1], pair[2], pair[3]));
  }
}

struct StreamedLoad {
  template <class T>
  __device__ __forceinline__ T operator()(const T* from) const {
    return load_streamed(from);
  }
};

// The whole chunk at `samples`, as wide at a time as rows are aligned, by `load`.
template <int alignment, class Load>
__device__ __forceinline__ uint4 read_whole(const unsigned short* samples, const Load& load) {
  if constexpr (alignment == 16) {
    return load(reinterpret_cast<const uint4*>(samples));
  } else if constexpr (alignment == 8) {
    const uint2* const from = reinterpret_cast<const uint2*>(samples);
    const uint2 low = load(from), high = load(from + 1);
    return make_uint4(low.x, low.y, high.x, high.y);
  } else {
    const unsigned int* const from = reinterpret_cast<const unsigned int*>(samples);
    return make_uint4(load(from), load(from + 1), load(from + 2), load(from + 3));
  }
}

// Reads the chunk at `samples` into registers; samples that do not exist become zero.
template <int alignment>
__device__ __forceinline__ uint4 read_chunk(const unsigned short* samples, int live) {
  if constexpr (alignment >= 4) {
    if (live >= 8) return read_whole<alignment>(samples, StreamedLoad());
  } else {
    if (has_lines(samples, live)) return read_lines(samples);
  }
  unsigned int pair[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (alignment >= 4 && 2 * i + 1 < live) {
      pair[i] = load_streamed(reinterpret_cast<const unsigned int*>(samples) + i);
    } else {
      const unsigned int low = 2 * i < live ? load_streamed(samples + 2 * i) : 0;
      const unsigned int high = 2 * i + 1 < live ? load_streamed(samples + 2 * i + 1) : 0;
      pair[i] = low | high << 16;
    }
  }
  return make_uint4(pair[0], pair[1], pair[2], pair[3]);
}

// Writes a chunk at any even address, in words where they may be.
template <int alignment = 2>
__device__ __forceinline__ void write_words(unsigned short* samples, const uint4& chunk) {
  const unsigned int pair[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
  if (alignment < 4 && samples_behind_line(samples) & 1) {
    store_streamed(samples, static_cast<unsigned short>(pair[0]));
#pragma unroll
    for (int i = 0; i < 3; ++i)
      store_streamed(reinterpret_cast<unsigned int*>(samples + 1) + i, __funnelshift_r(pair[i], pair[i + 1], 16));
    store_streamed(samples + 7, static_cast<unsigned short>(pair[3] >> 16));
    return;
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) store_streamed(reinterpret_cast<unsigned int*>(samples) + i, pair[i]);
}

// Writes a whole chunk, as wide at a time as rows are aligned.
template <int alignment>
__device__ __forceinline__ void write_whole(unsigned short* samples, const uint4& chunk) {
  if constexpr (alignment == 16) {
    store_streamed(reinterpret_cast<uint4*>(samples), chunk);
  } else if constexpr (alignment == 8) {
    uint2* const to = reinterpret_cast<uint2*>(samples);
    store_streamed(to, make_uint2(chunk.x, chunk.y));
    store_streamed(to + 1, make_uint2(chunk.z, chunk.w));
  } else {
    write_words<alignment>(samples, chunk);
  }
}

// Writes the first `live` samples of a chunk.
template <int alignment>
__device__ __forceinline__ void write_chunk(unsigned short* samples, const uint4& chunk, int live) {
  if (live >= 8) return write_whole<alignment>(samples, chunk);
  const unsigned int pair[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (alignment >= 4 && 2 * i + 1 < live) {
      store_streamed(reinterpret_cast<unsigned int*>(samples) + i, pair[i]);
    } else {
      if (2 * i < live) store_streamed(samples + 2 * i, static_cast<unsigned short>(pair[i]));
      if (2 * i + 1 < live) store_streamed(samples + 2 * i + 1, static_cast<unsigned short>(pair[i] >> 16));
    }
  }
}

#include "group_barrier.cuh"
