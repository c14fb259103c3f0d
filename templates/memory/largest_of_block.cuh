// The largest magnitude that the threads of a block find.
#pragma once

#include "barriers.cuh"
#include "shared_words.cuh"

// The largest of what a block's threads have found, none of which is negative.
__device__ __forceinline__ float largest_of_block(float magnitude, SharedAddress of_block) {
  if (threadIdx.x == 0) store_shared4(of_block, 0);
  block_barrier();
  atomic_max_shared(of_block, __float_as_uint(magnitude));
  block_barrier();
  return __uint_as_float(load_shared4(of_block));
}
