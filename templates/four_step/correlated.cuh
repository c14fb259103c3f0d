// Products of the frequencies of two rows, u and dy, in fp16.
#pragma once

#include "conversions.cuh"
#include "split_arguments.cuh"
#include "tile.cuh"

// The round before.
__device__ __forceinline__ Place before(const Place& place) { return {place.slot, place.round - 1}; }

__device__ __forceinline__ float add_squares(float sum, Packed samples) {
  const float low = low_half(samples), high = high_half(samples);
  return fmaf(low, low, fmaf(high, high, sum));
}

// The largest power of two that keeps products in fp16 even where all of either row is in one frequency, from the
// exponents of both rows' squares.
__device__ __forceinline__ int exponent_of_products(int squares) {
  return min(max(most_products_exponent - (squares + 2) / 2, -24), 15);
}

__device__ __forceinline__ float power_of_two(int exponent) { return __uint_as_float(exponent + 127 << 23); }

// conj(z) g, times that power.
__device__ __forceinline__ Tile correlate(const Tile& z, Tile g, Packed power) {
  multiply_conj(g, times_power(z, power));
  return g;
}
