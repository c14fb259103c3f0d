// The frequencies in the array are the spectrum's.
#pragma once

#include "block_transform.cuh"

// The largest magnitude of this thread's. It alone reads and writes them.
__device__ __forceinline__ float finish(const SharedArray& array) {
  LargestMagnitude largest;
  for (int f = thread_number(); f < points; f += threads) {
    const float2 x = kept(array.load(f), f);
    array.store(f, x);
    largest.join(x);
  }
  return largest.or_else([&] {
    float magnitude = 0.0f;
    for (int f = thread_number(); f < points; f += threads) {
      const float2 x = array.load(f);
      magnitude = fmaxf(magnitude, hypotf(x.x, x.y));
    }
    return magnitude;
  });
}
