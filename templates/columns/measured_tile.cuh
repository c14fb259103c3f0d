// How large the samples of a unit's tile are, for the tile's power of two.
#pragma once

#include "column_tile.cuh"
#include "sum_of_warp.cuh"
#include "tile_exponents.cuh"

// A unit's words: what its warps have found; what they say of squares; the exponents of the row that leaves.
constexpr int found_bytes = 4 * unit_warps;
constexpr int squares_at = found_bytes;
constexpr int leaving_at = 2 * found_bytes;
static_assert(unit_words_offset + leaving_at + 16 <= unit_bytes, "a unit has room for them");

// Of the samples that this thread has copied: ahead of the barrier behind the copies.
__device__ __forceinline__ void measure_samples(SharedAddress tile, SharedAddress words, int thread) {
  const int chunk = thread % tile_chunks;
  Largest largest;
//[[measured
  (void)tile, (void)chunk;
//]]
  const Packed of_warp = largest.of_one_row();
  if (thread % 32 == 0) store_shared4(words + thread / 32 * 4, of_warp);
}

// Behind it.
__device__ __forceinline__ unsigned int exponent_of_tile(SharedAddress words) {
  return tile_exponent(largest_of<unit_warps>(words) & 0xffffu);
}

// A line of tiles is of columns 256 apart: those of one column of the row's own tiles.
__device__ __forceinline__ int place_of_tile(int first_column) {
//[[place_of_tile
  constexpr int tiles_of_line = (columns / 256 + 15) / 16 * 16;  // or places of some that do not exist
  return first_column % 256 / tile_columns * tiles_of_line + place_in_line(first_column / 256, tiles_of_line);
//]]
}

// The sum of a warp's squares of samples as they were transformed, and of all warps behind a barrier.
__device__ __forceinline__ void put_squares(SharedAddress words, int thread, float squares) {
  const float of_warp = sum_of_warp(squares);
  if (thread % 32 == 0) store_shared4(words + squares_at + thread / 32 * 4, __float_as_uint(of_warp));
}
__device__ __forceinline__ float squares_of_tile(SharedAddress words) {
  float squares = 0;
#pragma unroll
  for (int warp = 0; warp < unit_warps; ++warp) squares += __uint_as_float(load_shared4(words + squares_at + 4 * warp));
  return squares;
}

// Tells rows, ahead of the count that says that the tile is there.
__device__ __forceinline__ void tell_exponent(const SplitArguments& split, const Place& place, int first_column,
                                              SharedAddress words, int thread) {
  const unsigned int exponent = exponent_of_tile(words);
  if (thread != 0) return;
  put_tile_exponent(split, place, place_of_tile(first_column), exponent);
//[[tell_squares
//]]
}
//[[squares

// The same of rows whose tiles have one power of two.
__device__ __forceinline__ void tell_squares(const SplitArguments& split, const Place& place, SharedAddress words,
                                             int thread) {
  if (thread == 0) put_tile_norm(split, place, exponent_of_one, squares_of_tile(words));
}
//]]
