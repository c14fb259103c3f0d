// How large samples of bf16 are, two at a time: their bits without the signs, in the order of their values.
#pragma once

#include "packed.cuh"

#ifndef FFC_HOST  // the host has twins of these

// The larger of the low halves, and of the high ones.
__device__ __forceinline__ Packed larger_halves(Packed a, Packed b) { return __vmaxu2(a, b); }

// The value of the lane whose number differs in the bits of `step`.
__device__ __forceinline__ unsigned int exchanged(unsigned int value, int step) {
  return __shfl_xor_sync(0xffffffffu, value, step);
}

#endif

__device__ __forceinline__ Packed magnitudes(Packed stored) { return stored & 0x7fff7fffu; }

// Of samples times gates, cut off.
__device__ __forceinline__ Packed magnitudes_gated(Packed stored, Packed gate) {
  const unsigned int low = __float_as_uint(low_bf16(stored) * low_bf16(gate)),
                     high = __float_as_uint(high_bf16(stored) * high_bf16(gate));
  return magnitudes(low >> 16 | (high & 0xffff0000u));
}
