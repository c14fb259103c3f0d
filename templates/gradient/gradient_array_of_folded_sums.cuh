// Frequencies at a right angle from where they were summed to the array of a block that holds half as many: those
// further on by half of them are folded in, so that even points come out, or odd ones.
#pragma once

#include "sums_of_fours.cuh"

// Of both parts those that are there; the other one's are zero.
struct Points {
  SharedArray array;
  int part;
  __device__ __forceinline__ float2 load(int n) const { return n % 2 == part ? array.load(n / 2) : float2{0.0f, 0.0f}; }
};

__device__ __forceinline__ void load_frequencies(const float4* sums, int slices, int part, const SharedArray& array) {
#pragma unroll 2
  for (int i = thread_number(); i < sums_rows * 32; i += threads) {
    const PlaceOfFour place(i);
    const SumsOfFour low(place.in(sums), slices, sums_rows * tile_words);
    const SumsOfFour high(place.in(sums) + 32, slices, sums_rows * tile_words);
    const int first = place.row + sums_rows * place.inner();
    low.each([&](int offset, float2 value) { array.store(first + sums_rows * offset, value); });
    high.each([&](int offset, float2 value) {
      const int k = first + sums_rows * offset;
      const float2 of_low = array.load(k);
      array.store(k, part == 0 ? add(of_low, value) : multiply(sub(of_low, value), unit_root<points>(k)));
    });
  }
}

__device__ __forceinline__ Points points_of_part(const SharedArray& array, int part) { return {array, part}; }
