// The chunk of a window's halo that holds samples beyond the filter's reach. They count as zeros, so that results do
// not depend on them.
#pragma once

#include "shared_words.cuh"

__device__ __forceinline__ unsigned int drop_samples(unsigned int pair, int first, int dropped) {
  return first + 1 < dropped ? 0 : first < dropped ? pair & 0xffff0000u : pair;
}

// Makes the samples of the chunk at `at` that are beyond the reach zeros.
__device__ __forceinline__ void cut_at_reach(SharedAddress at) {
  constexpr int dropped = read_back - reach;
  const uint4 chunk = load_shared(at);
  store_shared(at, make_uint4(drop_samples(chunk.x, 0, dropped), drop_samples(chunk.y, 2, dropped),
                              drop_samples(chunk.z, 4, dropped), drop_samples(chunk.w, 6, dropped)));
}
