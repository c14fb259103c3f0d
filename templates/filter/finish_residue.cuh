// The frequencies of one residue as they are stored: block 0 has a real row's, the others complex ones.
#pragma once

#include "filter_block_pairs.cuh"
#include "residue_tiles.cuh"

// The largest magnitude of this thread's, which it alone reads and writes.
__device__ __forceinline__ float finish_residue(const SharedArray& array, int residue) {
  if (residue == 0) return finish<parts>(array);
  LargestMagnitude largest;
  for (int number = thread_number(); number < points / parts; number += threads) {
    float2 x = array.load(number);
//[[residue_dropped
//]]
    largest.join(x);
  }
  return largest.or_else([&] {
    float magnitude = 0.0f;
    for (int number = thread_number(); number < points / parts; number += threads) {
      const float2 x = array.load(number);
      magnitude = fmaxf(magnitude, hypotf(x.x, x.y));
    }
    return magnitude;
  });
}
