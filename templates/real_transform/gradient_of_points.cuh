// From gradients of taps to those of spectra of an odd length: a point for each sample.
#pragma once

#include "float_butterflies.cuh"
#include "real_row.cuh"

static_assert(points == length, "no sample has a partner");

__device__ __forceinline__ float2 point_of(const float* row, int n) { return {tap_at(row, n), 0.0f}; }

// Others are mirrors.
__device__ __forceinline__ void put_result(float* row, int f, float2 value) {
  if (f < stored_frequencies) put_gradient(row, f, value);
}
