// The powers of two that bring the tiles of columns to that of the row's largest one, of a row that a warp has by
// itself.
#pragma once

#include "told_exponents.cuh"

struct RowPowers {
  Packed of[rows][2];  // of a line's columns 2 (lane % 4) and the next, of either half of its tile
  unsigned int largest;
};

// Four tiles of columns share a line: each has four of its tile's sixteen.
__device__ __forceinline__ RowPowers row_powers(SharedAddress words, unsigned int round, int lane) {
  RowPowers powers;
  powers.largest = largest_of_row(words, round);
#pragma unroll
  for (int a = 0; a < rows; ++a) {
    const unsigned int two = load_shared4(words + 4 * a) >> lane % 4 / 2 * 8;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const float power = power_below(two >> 16 * j & 255, powers.largest);
      powers.of[a][j] = pack(power, power);
    }
  }
  return powers;
}

__device__ __forceinline__ Tile times_powers(Tile x, const Packed (&powers)[2]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) x.re[e] = mul(x.re[e], powers[e / 2]), x.im[e] = mul(x.im[e], powers[e / 2]);
  return x;
}
