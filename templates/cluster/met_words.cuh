// What a launch reports of a thread's words. They go to the record of their channel with its last item.
#pragma once

#include "cluster_words.cuh"
#include "report.cuh"

// Whether the item behind a block's `turn`th is of another channel, or there is none.
__device__ __forceinline__ bool ends_channel(const Slice& slice, const Item& item, int turn) {
  return turn + 1 == slice.items || item.index + 1 == slice.of_channel;
}

// Results that are stored. The first `gone` samples are not the row's, and `live` are with them (any values). Words one
// after the other: halves that do not wait for each other (MetSamples) cost a cluster's columns registers.
template <int count>
__device__ __forceinline__ void meet_words(MetSamples& met, const Words<count>& x, int gone, int live) {
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const Packed low = 2 * i >= gone && 2 * i < live ? 0xffffu : 0u;
    const Packed high = 2 * i + 1 >= gone && 2 * i + 1 < live ? 0xffff0000u : 0u;
    met.add(x.word[i] & (low | high));
  }
}
