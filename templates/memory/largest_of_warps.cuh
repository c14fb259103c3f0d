// The largest of what the threads of a block find, none of which is negative: that of each warp first.
#pragma once

#include "barriers.cuh"
#include "exchanged.cuh"
#include "global_atomics.cuh"
#include "shared_words.cuh"

// For largest_of_warps() behind a barrier: 4 bytes for each warp.
__device__ __forceinline__ void put_largest_of_warp(float value, SharedAddress of_warps) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __uint_as_float(exchanged(__float_as_uint(value), step)));
  if (threadIdx.x % 32 == 0) store_shared4(of_warps + threadIdx.x / 32 * 4, __float_as_uint(value));
}

__device__ __forceinline__ float largest_of_warps(SharedAddress of_warps) {
  float largest = 0.0f;
#pragma unroll
  for (int warp = 0; warp < threads / 32; ++warp)
    largest = fmaxf(largest, __uint_as_float(load_shared4(of_warps + 4 * warp)));
  return largest;
}

// Joins a block's share of a channel's largest magnitude to what other blocks found.
__device__ __forceinline__ void join_largest(float magnitude, unsigned int* largest, SharedAddress of_warps) {
  put_largest_of_warp(magnitude, of_warps);
  block_barrier();
  if (threadIdx.x == 0) atomic_max_global(largest, __float_as_uint(largest_of_warps(of_warps)));
}
