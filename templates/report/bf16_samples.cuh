// Samples of bf16 as floats, and as magnitudes.
#pragma once

#include "storage_bf16.cuh"

__device__ __forceinline__ float low_stored(Packed stored) { return low_bf16(stored); }
__device__ __forceinline__ float high_stored(Packed stored) { return high_bf16(stored); }

// Of a magnitude the bits as a float.
__device__ __forceinline__ unsigned int magnitude_bits(Packed magnitude) { return magnitude << 16; }
