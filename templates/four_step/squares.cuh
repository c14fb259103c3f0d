// How large a complex row is, for the power of two that keeps products of two rows' frequencies in fp16: the sum of its
// samples' squares in units of 2^-12, beside the counts of its place in the workspace. Whole numbers, so that it does
// not matter who adds first. A place has four such sums, which its rows take in turn.
#pragma once

#include "conversions.cuh"
#include "exchanged.cuh"
#include "global_atomics.cuh"
#include "progress.cuh"
#include "tile.cuh"

// The round before.
__device__ __forceinline__ Place before(const Place& place) { return {place.slot, place.round - 1}; }

__device__ __forceinline__ unsigned int* squares_of(const SplitArguments& split, const Place& place, int rounds_on) {
  return split.progress + place.slot * progress_stride + progress_stride / 4 + (place.round + rounds_on) % 4 * 2;
}

__device__ __forceinline__ float add_squares(float sum, Packed samples) {
  const float low = low_half(samples), high = high_half(samples);
  return fmaf(low, low, fmaf(high, high, sum));
}

// What the threads of a warp have found. No sum of 2^12 warps leaves 64 bits.
__device__ __forceinline__ void join_squares(const SplitArguments& split, const Place& place, float squares) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) squares += __uint_as_float(exchanged(__float_as_uint(squares), step));
  const float units = fminf(squares, 1.0995116e+12f) * 4096.0f;
  if (threadIdx.x % 32 == 0)
    atomic_add_global(reinterpret_cast<unsigned long long*>(squares_of(split, place, 0)),
                      static_cast<unsigned long long>(units));
}

// Those of the row that has the place next begin.
__device__ __forceinline__ void clear_next_squares(const SplitArguments& split, const Place& place) {
  store_global(reinterpret_cast<unsigned long long*>(squares_of(split, place, 1)), 0ull);
}

// The exponent of a row's sum, 0 of none.
__device__ __forceinline__ int squares_exponent(const SplitArguments& split, const Place& place) {
  const unsigned int* const sum = squares_of(split, place, 0);
  const unsigned int low = read_count(sum), high = read_count(sum + 1);
  const float units = static_cast<float>(high) * 4294967296.0f + static_cast<float>(low);
  return static_cast<int>(__float_as_uint(fmaxf(units, 1.0f)) >> 23) - 127;
}

// Of the power of two of products of u's and dy's frequencies: the largest that keeps them in fp16 even where all of
// either is in one frequency.
__device__ __forceinline__ int products_exponent(const SplitArguments& split, const Place& of_u, const Place& of_dy) {
  const int squares = squares_exponent(split, of_u) + squares_exponent(split, of_dy);
  return min(max(most_products_exponent - (squares + 2) / 2, -24), 15);
}

__device__ __forceinline__ float power_of_two(int exponent) { return __uint_as_float(exponent + 127 << 23); }

// conj(z) g, times that power.
__device__ __forceinline__ Tile correlate(const Tile& z, Tile g, Packed power) {
  multiply_conj(g, times_power(z, power));
  return g;
}
