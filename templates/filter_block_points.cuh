// The frequencies in the array are the spectrum's.
#pragma once

#include "block_transform.cuh"

// The largest magnitude of this thread's. It alone reads and writes them.
__device__ __forceinline__ float finish(const SharedArray& array) {
  float magnitude = 0.0f;
  for (int f = threadIdx.x; f < points; f += threads) {
    const float2 x = kept(array.load(f), f);
    array.store(f, x);
    magnitude = fmaxf(magnitude, magnitude_of(x));
  }
  return magnitude;
}
