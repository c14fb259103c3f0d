// Barrier among the `threads` threads of one group; groups do not wait for each other.
#pragma once

#include "barriers.cuh"

template <int threads>
__device__ __forceinline__ void group_barrier(int group) {
  if constexpr (threads == 32) {
    warp_barrier();
  } else {
    named_barrier<threads>(group + 1);
  }
}
