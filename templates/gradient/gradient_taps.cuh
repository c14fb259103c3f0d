// Gradients of taps from the samples of the transformed row.
#pragma once

#include "gradient_sample.cuh"

// What a tap's places in the transformed row give it, in their order.
template <class Samples>
__device__ __forceinline__ float gradient_of_tap(const Samples& samples, int tap) {
  float sum = tap < head ? sample_at(samples, tap) : 0.0f;
  const int tail = tap - tail_tap + tail_start;
  if (tail >= tail_start && tail < length) sum += sample_at(samples, tail);
  return sum;
}
