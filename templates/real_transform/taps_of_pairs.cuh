// From spectra to taps of an even length, by half as many points: even samples are real parts, odd ones imaginary
// parts.
#pragma once

#include "float_butterflies.cuh"
#include "real_row.cuh"

static_assert(2 * points == length, "every sample has a partner");

// Point f of what is transformed: even samples' frequencies and i times the odd ones', conjugated.
__device__ __forceinline__ float2 point_of(const float* row, int f) {
  constexpr float scale = 1.0f / length;
  const float2 low = frequency_at(row, f), high = frequency_at(row, points - f);
  const float2 even = {low.x + high.x, high.y - low.y}, odd = {low.x - high.x, -low.y - high.y};
  const float2 turned = multiply(odd, unit_root<length>(f));
  return {scale * (even.x + turned.y), scale * (even.y - turned.x)};
}

__device__ __forceinline__ void put_result(float* row, int m, float2 value) {
  put_tap(row, 2 * m, value.x);
  put_tap(row, 2 * m + 1, -value.y);
}
