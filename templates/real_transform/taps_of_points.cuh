// From spectra to taps of an odd length: a point for each sample.
#pragma once

#include "float_butterflies.cuh"
#include "real_row.cuh"

static_assert(points == length, "no sample has a partner");

// Frequency f of the whole row, conjugated.
__device__ __forceinline__ float2 point_of(const float* row, int f) {
  constexpr float scale = 1.0f / length;
  const bool stored = f < stored_frequencies;
  const float2 x = frequency_at(row, stored ? f : length - f);
  return {scale * x.x, scale * (stored ? -x.y : x.y)};
}

__device__ __forceinline__ void put_result(float* row, int n, float2 value) { put_tap(row, n, value.x); }
