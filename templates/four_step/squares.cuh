// How large a complex row is, for the power of two that keeps products of two rows' frequencies in fp16. Behind its
// tiles' exponents a place has two bytes of each tile: its exponent, that of [1, 2) where a row has but one, and that
// of the sum of its samples' squares as they are transformed.
#pragma once

#include "correlated.cuh"
#include "sum_of_warp.cuh"
#include "tile_exponents.cuh"

__device__ __forceinline__ unsigned short* tile_measures(const SplitArguments& split, int slot) {
  return reinterpret_cast<unsigned short*>(tile_exponents(split, slot) + (tiles_of_place + 15) / 16 * 16);
}

// Told with the tile's exponent. The power of two is above the sum.
__device__ __forceinline__ void put_tile_measure(const SplitArguments& split, const Place& place, int tile,
                                                 unsigned int exponent, float squares) {
  const unsigned int above = min((__float_as_uint(squares) >> 23) + 1, 254u);
  store_global(tile_measures(split, place.slot) + tile, static_cast<unsigned short>(exponent | above << 8));
}

// The exponent of the squares of a row whose largest tile is at [1, 2), in units of 2^-12. A warp asks.
__device__ __forceinline__ int squares_exponent(const SplitArguments& split, int slot, unsigned int largest, int lane) {
  const unsigned int* const measures = reinterpret_cast<const unsigned int*>(tile_measures(split, slot));
  float squares = 0;
#pragma unroll
  for (int i = 0; i < (tiles_of_place + 63) / 64; ++i) {
    const int at = lane + 32 * i;
    const unsigned int two = tiles_of_place % 64 == 0 || at < (tiles_of_place + 1) / 2 ? read_count(measures + at) : 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned int measure = two >> 16 * half & 0xffff;
      const int exponent = static_cast<int>(measure >> 8) - 2 * static_cast<int>(largest - (measure & 255));
      squares += __uint_as_float(max(exponent, 0) << 23);
    }
  }
  return static_cast<int>(__float_as_uint(sum_of_warp(squares)) >> 23) - 127 + 12;
}

// Of the power of two of products of u's and dy's frequencies, whose largest exponents these are.
__device__ __forceinline__ int products_exponent(const SplitArguments& split, int slot, unsigned int of_u,
                                                 unsigned int of_dy, int lane) {
  return exponent_of_products(squares_exponent(split, slot, of_u, lane) +
                              squares_exponent(split, slot + 1, of_dy, lane));
}

// Rows tell columns.
__device__ __forceinline__ unsigned int* products_words(const SplitArguments& split, const Place& of_u) {
  return largest_exponents(split, of_u.slot) + words_of_rounds + word_of_round(of_u.round);
}
__device__ __forceinline__ void tell_products_exponent(const SplitArguments& split, const Place& of_u, int exponent) {
  store_global(products_words(split, of_u), static_cast<unsigned int>(exponent));
}
__device__ __forceinline__ int told_products_exponent(const SplitArguments& split, const Place& of_u) {
  return static_cast<int>(read_count(products_words(split, of_u)));
}
