// Samples of fp16 as floats, and as magnitudes.
#pragma once

#include "conversions.cuh"

__device__ __forceinline__ float low_stored(Packed stored) { return low_half(stored); }
__device__ __forceinline__ float high_stored(Packed stored) { return high_half(stored); }

// Of a magnitude the bits as a float.
__device__ __forceinline__ unsigned int magnitude_bits(Packed magnitude) {
  return __float_as_uint(low_half(magnitude)) & 0x7fffffffu;
}
