// What tiles of columns have told of a row, as rows have it.
#pragma once

#include "tile_exponents.cuh"

// A warp has its own copy of the exponents of its columns' tiles, of the largest, and of norms.
constexpr int warp_words_bytes = exponents_bytes + 32;

// Which words behind a place's counts a lane copies, four of them.
__device__ __forceinline__ int copied_word(int line, int lane) {
  constexpr int pieces = exponents_bytes / 16;
  return lane < pieces ? 3 * words_of_rounds + line * (exponents_bytes / 4) + 4 * lane
                       : 2 * words_of_rounds * (lane - pieces);
}
__device__ __forceinline__ void copy_exponents(const SplitArguments& split, int slot, int word, SharedAddress to,
                                               int lane) {
  if (lane <= exponents_bytes / 16 + 1) copy_async<16>(to + 16 * lane, largest_exponents(split, slot) + word, 16);
}
__device__ __forceinline__ int copied_norm(SharedAddress words, unsigned int round) {
  return static_cast<int>(load_shared4(words + exponents_bytes + 16 + 4 * word_of_round(round)) & 511);
}
__device__ __forceinline__ unsigned int largest_of_row(SharedAddress words, unsigned int round) {
  return copied_largest(words + exponents_bytes, round);
}
