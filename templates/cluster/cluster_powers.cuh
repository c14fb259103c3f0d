// Block floating point between the columns and the rows of a cluster. A piece, what a warp takes of every row of
// samples at a time, has the power of two of its largest sample; a row's first stage brings what comes from all pieces
// to that of the item's largest.
#pragma once

#include "cluster.cuh"
#include "exponents.cuh"
#include "magnitudes.cuh"
#include "shared_words.cuh"

constexpr int pieces = row_length / piece_samples;

// Of a place in the ring: the exponents of its item's pieces, then the largest, then shifts.
__device__ __forceinline__ SharedAddress exponents_of(SharedAddress shared, int slot) {
  return shared + exponents_offset + place_words_bytes * slot;
}
__device__ __forceinline__ SharedAddress largest_of_item(SharedAddress exponents) { return exponents + pieces; }
__device__ __forceinline__ unsigned int found_largest(SharedAddress shared, int slot) {
  return load_shared4(largest_of_item(exponents_of(shared, slot)));
}

// Of a warp's largest samples, two of each lane, those of the piece from `column` on: told to all blocks.
__device__ __forceinline__ unsigned int tell_exponent(Packed largest, int column, SharedAddress exponents) {
  const unsigned int exponent = tile_exponent(largest_of_warp(larger_of_both(magnitudes(largest))));
  const int lane = threadIdx.x % 32;
  if (lane < blocks) store_cluster1(at_rank(exponents + column / piece_samples, lane), exponent);
  return exponent;
}

// Of all pieces.
__device__ __forceinline__ unsigned int largest_exponent(SharedAddress exponents, int lane) {
  unsigned int largest = 0;
  if (4 * lane < pieces) {
    const unsigned int four = load_shared4(exponents + 4 * lane);
    largest = max(max(four & 255, four >> 8 & 255), max(four >> 16 & 255, four >> 24));
  }
  return largest_of_warp(largest);
}
