// The powers of two that bring the tiles of columns in a row to that of the row's largest one.
#pragma once

#include "told_exponents.cuh"

struct RowPowers {
  Packed of[exponents_bytes / 8];  // of a lane's columns 8 a + 2 (lane % 4) and the next of a tile
  unsigned int largest;
};

__device__ __forceinline__ RowPowers row_powers(SharedAddress words, unsigned int round, int lane) {
  const unsigned int largest = largest_of_row(words, round);
  RowPowers powers;
  powers.largest = largest;
  const SharedAddress of_lane = words + lane % 4 * (exponents_bytes / 4);
#pragma unroll
  for (int i = 0; i < exponents_bytes / 16; ++i) {
    const unsigned int four = load_shared4(of_lane + 4 * i);
    powers.of[2 * i] = pack(power_below(four & 255, largest), power_below(four >> 8 & 255, largest));
    powers.of[2 * i + 1] = pack(power_below(four >> 16 & 255, largest), power_below(four >> 24, largest));
  }
  return powers;
}
