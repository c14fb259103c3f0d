// dk and dd of a channel, from the sums that have come back with its last pair.
#pragma once

#include "conversions.cuh"
#include "global.cuh"
#include "norms.cuh"

// What samples of sums are multiplied by, once the gain has been, to be taps of the rows as they came.
__device__ __forceinline__ float tap_scale(const SplitArguments& split, const Place& of_u) {
  return power_of_two(-told_sums_exponent(split, of_u));
}
__device__ __forceinline__ float tap_of(float sample, float scale) { return sample * taps_gain * scale; }

// Four taps at `to`, of which `live` exist.
__device__ __forceinline__ void put_taps(float* to, const float4& taps, int live) {
  if (live >= 4 && reinterpret_cast<unsigned long long>(to) % 16 == 0)
    return store_streamed(reinterpret_cast<float4*>(to), taps);
  const float each[4] = {taps.x, taps.y, taps.z, taps.w};
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (i < live) store_streamed(to + i, each[i]);
}
