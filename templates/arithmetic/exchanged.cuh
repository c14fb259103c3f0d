// What other lanes of a warp hold.
#pragma once

#ifndef FFC_HOST  // the host has a twin of this

// The value of the lane whose number differs in the bits of `step`.
__device__ __forceinline__ unsigned int exchanged(unsigned int value, int step) {
  return __shfl_xor_sync(0xffffffffu, value, step);
}

#endif
