// From a complex row's frequencies in the array to those of the real row, number `points` behind the others. Where
// the row is folded, they are every parts-th one.
#pragma once

#include "block_transform.cuh"

// The largest magnitude of this thread's. It alone reads and writes them.
template <int parts = 1>
__device__ __forceinline__ float finish(const SharedArray& array) {
  constexpr int turns = points / parts / 2 / threads + 1;
  LargestMagnitude largest;
  // Others of the thread's are a known root further.
  const float2 root = unit_root<length>(parts * thread_number());
#pragma unroll
  for (int turn = 0; turn < turns; ++turn) {
    const int number = thread_number() + turn * threads, f = parts * number;
    if (2 * f > points) break;
    const float2 turned = turn == 0 ? root : multiply(root, constant_root<length>(parts * turn * threads));
    const int mirrored = (points - f) / parts;
    const Untangled x = untangled(array.load(number), array.load(turn == 0 && f == 0 ? 0 : mirrored), f, turned);
    array.store(number, x.low), array.store(mirrored, x.high);
    largest.join(x.low), largest.join(x.high);
  }
  return largest.or_else([&] {
    float magnitude = 0.0f;
    for (int number = thread_number(); 2 * parts * number <= points; number += threads) {
      const float2 low = array.load(number), high = array.load(points / parts - number);
      magnitude = fmaxf(magnitude, fmaxf(hypotf(low.x, low.y), hypotf(high.x, high.y)));
    }
    return magnitude;
  });
}
