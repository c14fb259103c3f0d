// The real row that is transformed, and what its transform is called.
//
// A spectrum has frequencies 0 to length / 2 in order, a real part and an imaginary one each. All transforms are
// forward ones: going back is the conjugate of the transform of conjugates.
#pragma once

#include "global.cuh"
#include "unit_root.cuh"

//[[constants
constexpr int length = 64;
constexpr int points = 32;
constexpr int taps = 64;
constexpr int threads = 32;
constexpr int blocks_per_sm = 24;
//]]

constexpr int stored_frequencies = length / 2 + 1;

__device__ __forceinline__ float2 conjugate(float2 x) { return {x.x, -x.y}; }

// Frequency f of a row's spectrum. Those that are their own mirrors are real, whatever the memory says.
__device__ __forceinline__ float2 frequency_at(const float* row, int f) {
  const float2 x = load_global(reinterpret_cast<const float2*>(row) + f);
  return {x.x, f == 0 || 2 * f == length ? 0.0f : x.y};
}

// The gradient of frequency f from that of the taps, which is transformed: the frequency is in the taps by its real
// part, and once more by its mirror's unless it is its own.
__device__ __forceinline__ void put_gradient(float* row, int f, float2 x) {
  constexpr float once = 1.0f / length, twice = 2.0f / length;
  const bool own_mirror = f == 0 || 2 * f == length;
  const float2 gradient = {x.x * (own_mirror ? once : twice), own_mirror ? 0.0f : x.y * twice};
  store_global(reinterpret_cast<float2*>(row) + f, gradient);
}

__device__ __forceinline__ float tap_at(const float* row, int n) {
  return taps == length || n < taps ? load_constant(row + n) : 0.0f;
}
__device__ __forceinline__ void put_tap(float* row, int n, float tap) {
  if (taps == length || n < taps) store_global(row + n, tap);
}
