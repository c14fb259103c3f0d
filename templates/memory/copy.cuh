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

// Closes a group of asynchronous copies.
__device__ __forceinline__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most `pending` of this thread's copy groups are still under way.
template <int pending>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

#endif

// Starts the load of the chunk at `samples`, of which `live` samples (any value, clamped to 0..8) exist.
// Rows start at a multiple of `alignment` bytes; with 2 nothing wider than one sample can be copied at once. What is
// `read_once` leaves the L2 cache to others.
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

// Reads the chunk at `samples` into registers; samples that do not exist become zero.
template <int alignment>
__device__ __forceinline__ uint4 read_chunk(const unsigned short* samples, int live) {
  if (alignment == 16 && live >= 8) return load_streamed(reinterpret_cast<const uint4*>(samples));
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

// Writes the first `live` samples of a chunk.
template <int alignment>
__device__ __forceinline__ void write_chunk(unsigned short* samples, const uint4& chunk, int live) {
  if (alignment == 16 && live >= 8) {
    store_streamed(reinterpret_cast<uint4*>(samples), chunk);
    return;
  }
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
