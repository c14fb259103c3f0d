// The largest of a warp's values.
#pragma once

#ifndef FFC_HOST  // the host has a twin of this

__device__ __forceinline__ unsigned int largest_of_warp(unsigned int value) {
  return __reduce_max_sync(0xffffffffu, value);
}

#endif
