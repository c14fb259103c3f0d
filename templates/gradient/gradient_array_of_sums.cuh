// Frequencies at a right angle from where they were summed to the array of a block, in their order.
#pragma once

#include "sums_of_fours.cuh"

__device__ __forceinline__ void load_frequencies(const float4* sums, int slices, const SharedArray& array) {
#pragma unroll 4
  for (int i = thread_number(); i < sums_rows * 64; i += threads) {
    const PlaceOfFour place(i);
    const SumsOfFour of_four(place.in(sums) + 32 * place.more, slices, sums_rows * tile_words);
    const int first = place.row + sums_rows * (place.inner() + 128 * place.more);
    of_four.each([&](int offset, float2 value) { array.store(first + sums_rows * offset, value); });
  }
}
