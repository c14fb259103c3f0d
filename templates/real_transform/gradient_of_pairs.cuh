// From gradients of taps to those of spectra of an even length, by half as many points: even samples are real parts,
// odd ones imaginary parts, and their frequencies are untangled behind the transform.
#pragma once

#include "float_butterflies.cuh"
#include "real_row.cuh"

static_assert(2 * points == length, "every sample has a partner");

__device__ __forceinline__ float2 point_of(const float* row, int m) {
  return {tap_at(row, 2 * m), tap_at(row, 2 * m + 1)};
}

// Until they are untangled, the points' frequencies lie where those of the row will.
__device__ __forceinline__ void put_result(float* row, int f, float2 value) {
  store_global(reinterpret_cast<float2*>(row) + f, value);
}

// From the points' frequencies, stored(f), to those of the row: f and points - f at once, by the same thread, so that
// both may be in one memory. Those from `first` on, `step` apart.
template <class Stored>
__device__ __forceinline__ void untangle(const Stored& stored, float* row, int first, int step) {
  for (int f = first; 2 * f <= points; f += step) {
    const float2 a = stored(f), b = stored(f == 0 ? 0 : points - f);
    const float2 even = {0.5f * (a.x + b.x), 0.5f * (a.y - b.y)}, odd = {0.5f * (a.y + b.y), 0.5f * (b.x - a.x)};
    const float2 turned = multiply(odd, unit_root<length>(f));
    put_gradient(row, f, add(even, turned));
    put_gradient(row, points - f, conjugate(sub(even, turned)));
  }
}
