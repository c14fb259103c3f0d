// A batch row's share of dk and dd, from the products of its frequencies.
#pragma once

#include "conversions.cuh"
#include "global.cuh"
#include "memory_adds.cuh"
#include "squares.cuh"

// What samples of a row's products are multiplied by to be taps of the rows as they were transformed.
__device__ __forceinline__ float tap_scale(const SplitArguments& split, const Place& of_u) {
  return taps_gain * power_of_two(-told_products_exponent(split, of_u));
}

__device__ __forceinline__ void put_tap(float* to, float value, bool joins) {
  store_streamed(to, joins ? load_streamed(to) + value : value);
}

// Four taps at `to`, of which `live` exist, or what they add to those that are there.
__device__ __forceinline__ void put_taps(float* to, const float4& taps, bool joins, int live) {
  if (live >= 4 && reinterpret_cast<unsigned long long>(to) % 16 == 0) {
    float4* const four = reinterpret_cast<float4*>(to);
    return joins ? add_to_sums(four, taps) : store_streamed(four, taps);
  }
  const float each[4] = {taps.x, taps.y, taps.z, taps.w};
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (i < live) put_tap(to + i, each[i], joins);
}
