// How large a complex row is, for the power of two that keeps sums of products of frequencies in fp16. Beside its
// largest exponents a place has the largest norm of its tiles, an exponent, of samples as they were before their power
// of two.
#pragma once

#include "conversions.cuh"
#include "tile_exponents.cuh"

__device__ __forceinline__ float add_squares(float sum, Packed samples) {
  const float low = low_half(samples), high = high_half(samples);
  return fmaf(low, low, fmaf(high, high, sum));
}

__device__ __forceinline__ float power_of_two(int exponent) { return __uint_as_float(exponent + 127 << 23); }
__device__ __forceinline__ int exponent_of(float positive) {
  return static_cast<int>(__float_as_uint(positive) >> 23) - 127;
}
// Of a power of two that is no less than `count`.
__device__ __forceinline__ int exponent_above(int count) { return exponent_of(static_cast<float>(2 * count - 1)); }

// The exponent above a tile's norm, in units of 2^-184.5, from that of its samples and the squares of what these were
// brought to.
__device__ __forceinline__ unsigned int norm_exponent(unsigned int exponent, float squares) {
  const unsigned int above = min((__float_as_uint(squares) >> 23) + 1, 254u);
  return (above + 2 * exponent + 1) / 2;
}

// Told with the tile's exponent, behind which the place has it.
__device__ __forceinline__ unsigned int* largest_norms(const SplitArguments& split, int slot) {
  return largest_exponents(split, slot) + 2 * words_of_rounds;
}
__device__ __forceinline__ void put_tile_norm(const SplitArguments& split, const Place& place, unsigned int exponent,
                                              float squares) {
  atomic_max_global(largest_norms(split, place.slot) + word_of_round(place.round),
                    place.round << 9 | norm_exponent(exponent, squares));
}
__device__ __forceinline__ int told_norm(const SplitArguments& split, int slot, unsigned int round) {
  return static_cast<int>(read_count(largest_norms(split, slot) + word_of_round(round)) & 511);
}

// Above the products of two rows' frequencies, an exponent: their norms are at most the square root of how many tiles
// there are times the largest of a tile's.
__device__ __forceinline__ int products_exponent(int norm_of_u, int norm_of_dy) {
  return norm_of_u + norm_of_dy - 369 + exponent_above(tiles_of_place);
}

// From exponents of the largest products of a channel's pairs, that of the largest power of two that keeps their sums
// in fp16 even where all of each row is in one frequency.
__device__ __forceinline__ int exponent_of_sums(int largest, int pairs) {
  return min(max(most_products_exponent - largest - exponent_above(pairs), -126), 126);
}

// Rows tell columns.
__device__ __forceinline__ unsigned int* sums_words(const SplitArguments& split, const Place& of_u) {
  return largest_exponents(split, of_u.slot) + words_of_rounds + word_of_round(of_u.round);
}
__device__ __forceinline__ void tell_sums_exponent(const SplitArguments& split, const Place& of_u, int exponent) {
  store_global(sums_words(split, of_u), static_cast<unsigned int>(exponent));
}
__device__ __forceinline__ int told_sums_exponent(const SplitArguments& split, const Place& of_u) {
  return static_cast<int>(read_count(sums_words(split, of_u)));
}
