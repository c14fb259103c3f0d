// The powers of two that bring the tiles of columns in a row to that of the row's largest one.
#pragma once

#include "tile_exponents.cuh"

// A warp has its own copy of the exponents of its columns, one line of tiles, of the largest, and of norms.
constexpr int warp_words_bytes = rows + 32;

// Which words behind a place's counts a lane copies, four of them.
__device__ __forceinline__ int copied_word(int line, int lane) {
  return lane < rows / 16 ? 3 * words_of_rounds + line * (rows / 4) + 4 * lane
                          : 2 * words_of_rounds * (lane - rows / 16);
}
__device__ __forceinline__ void copy_exponents(const SplitArguments& split, int slot, int word, SharedAddress to,
                                               int lane) {
  if (lane <= rows / 16 + 1) copy_async<16>(to + 16 * lane, largest_exponents(split, slot) + word, 16);
}
__device__ __forceinline__ int copied_norm(SharedAddress words, unsigned int round) {
  return static_cast<int>(load_shared4(words + rows + 16 + 4 * word_of_round(round)) & 511);
}

struct RowPowers {
  Packed of[rows / 8];  // of a lane's columns 8 a + 2 (lane % 4) and the next of a tile
  unsigned int largest;
};

// Zero where it is below all of fp16.
__device__ __forceinline__ float power_below(unsigned int exponent, unsigned int largest) {
  return __uint_as_float(max(static_cast<int>(exponent + 127 - largest), 0) << 23);
}

__device__ __forceinline__ RowPowers row_powers(SharedAddress words, unsigned int round, int lane) {
  const unsigned int largest = copied_largest(words + rows, round);
  RowPowers powers;
  powers.largest = largest;
  const SharedAddress of_lane = words + lane % 4 * (rows / 4);
#pragma unroll
  for (int i = 0; i < rows / 16; ++i) {
    const unsigned int four = load_shared4(of_lane + 4 * i);
    powers.of[2 * i] = pack(power_below(four & 255, largest), power_below(four >> 8 & 255, largest));
    powers.of[2 * i + 1] = pack(power_below(four >> 16 & 255, largest), power_below(four >> 24, largest));
  }
  return powers;
}
