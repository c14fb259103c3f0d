// The largest magnitude that threads find, of a block or of many.
#pragma once

#include "barriers.cuh"
#include "global_atomics.cuh"
#include "shared_words.cuh"

// The largest of what a block's threads have found, none of which is negative.
__device__ __forceinline__ float largest_of_block(float magnitude, SharedAddress of_block) {
  if (threadIdx.x == 0) store_shared4(of_block, 0);
  block_barrier();
  atomic_max_shared(of_block, __float_as_uint(magnitude));
  block_barrier();
  return __uint_as_float(load_shared4(of_block));
}

// Joins a block's share of a channel's largest magnitude to what other blocks found.
__device__ __forceinline__ void join_largest(float magnitude, unsigned int* largest, SharedAddress of_block) {
  const float of_all = largest_of_block(magnitude, of_block);
  if (threadIdx.x == 0) atomic_max_global(largest, __float_as_uint(of_all));
}
