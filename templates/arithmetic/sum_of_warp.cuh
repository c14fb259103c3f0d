// Sums over the lanes of a warp, in an order that does not change.
#pragma once

#include "exchanged.cuh"

__device__ __forceinline__ float sum_of_warp(float value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __uint_as_float(exchanged(__float_as_uint(value), step));
  return value;
}
