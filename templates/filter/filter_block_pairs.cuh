// From a complex row's frequencies in the array to those of the real row, number `points` behind the others.
#pragma once

#include "block_transform.cuh"

// The largest magnitude of this thread's. It alone reads and writes them.
__device__ __forceinline__ float finish(const SharedArray& array) {
  constexpr int turns = points / 2 / threads + 1;
  LargestMagnitude largest;
  const float2 root = unit_root<length>(thread_number());  // others of the thread's are a known root further
#pragma unroll
  for (int turn = 0; turn < turns; ++turn) {
    const int f = thread_number() + turn * threads;
    if (2 * f > points) break;
    const float2 turned = turn == 0 ? root : multiply(root, unit_root<length>(turn * threads));
    const Untangled x = untangled(array.load(f), array.load(turn == 0 && f == 0 ? 0 : points - f), f, turned);
    array.store(f, x.low), array.store(points - f, x.high);
    largest.join(x.low), largest.join(x.high);
  }
  return largest.or_else([&] {
    float magnitude = 0.0f;
    for (int f = thread_number(); 2 * f <= points; f += threads) {
      const float2 low = array.load(f), high = array.load(points - f);
      magnitude = fmaxf(magnitude, fmaxf(hypotf(low.x, low.y), hypotf(high.x, high.y)));
    }
    return magnitude;
  });
}
