// Sums of rows alone, whose frequencies 4 k + 1 of `length` are a fourth of them: no row is another's mirror, and the
// points that they give hold all samples, in a quarter of the row each part of them under a sign of its own.
#pragma once

static_assert(4 * points == length && 256 * rows * column_length == points, "rows of frequencies are tiles of 256");
static_assert(sums_rows == column_length, "no row has a mirror");

#include "gradient_points_of_sums.cuh"

// Point n as the samples have it, conjugated: behind a transform at whole frequencies comes what a fourth is more.
__device__ __forceinline__ float2 turned(float2 value, int n) {
  return turns_samples ? multiply(value, unit_root<length>(n)) : value;
}

// Samples of the real row from point n, as the transform gives it, where taps reach no further than the first quarter:
// `take(sample, value)`. Those behind it are nothing.
template <class Take>
__device__ __forceinline__ void each_sample(int n, float2 value, Take take) {
  take(n, turned(value, n).x);
  if (filter_length > points)
    for (int tap = n + points; tap < filter_length; tap += points) take(tap, 0.0f);
}
