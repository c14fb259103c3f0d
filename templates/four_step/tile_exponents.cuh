// Block floating point between columns and rows: each tile of columns has the power of two of its largest sample, which
// the tile's unit finds, and a row's first stage brings what comes from all of them to that of the largest.
//
// Behind its counts, in other lines of memory than those, which are asked for all the time, a place of the ring has one
// word that all units of a round join theirs to, the round, then the largest exponent; and a byte for each tile, the
// exponent as floats hold it. What one round leaves in a word is less than all of the next, and what is still asked for
// is not overwritten, as rounds take four such words in turn.
#pragma once

#include "copy.cuh"
#include "exponents.cuh"
#include "found_scales.cuh"
#include "global_atomics.cuh"
#include "progress.cuh"
#include "scale_of_products.cuh"

constexpr int words_of_rounds = 4;
__device__ __forceinline__ unsigned int word_of_round(unsigned int round) { return round % words_of_rounds; }

// Those of each round, then as many for what rows tell columns and for norms, then the tiles' bytes.
__device__ __forceinline__ unsigned int* largest_exponents(const SplitArguments& split, int slot) {
  return split.progress + slot * progress_stride + counts_of_place;
}
__device__ __forceinline__ unsigned char* tile_exponents(const SplitArguments& split, int slot) {
  return reinterpret_cast<unsigned char*>(largest_exponents(split, slot) + 3 * words_of_rounds);
}

static_assert(4 * (progress_stride - counts_of_place) >= 12 * words_of_rounds + exponents_of_place, "places have room");

// A lane has the tiles 2 (lane % 4) + 8 i and the next of each line; they lie side by side.
__device__ __forceinline__ int place_in_line(int tile, int tiles_of_line) {
  return tile / 2 % 4 * (tiles_of_line / 4) + tile / 8 * 2 + tile % 2;
}

// Told ahead of the count that says that the tile is there.
__device__ __forceinline__ void put_tile_exponent(const SplitArguments& split, const Place& place, int at,
                                                  unsigned int exponent) {
  store_global(tile_exponents(split, place.slot) + at, static_cast<unsigned char>(exponent));
  atomic_max_global(largest_exponents(split, place.slot) + word_of_round(place.round), place.round << 8 | exponent);
}

// What columns copy of a place with everything else that they want of it: 16 bytes, all four words.
__device__ __forceinline__ void copy_largest(const SplitArguments& split, int slot, SharedAddress to) {
  copy_async<16>(to, largest_exponents(split, slot), 16);
}
__device__ __forceinline__ unsigned int copied_largest(SharedAddress from, unsigned int round) {
  return load_shared4(from + 4 * word_of_round(round)) & 255;
}
