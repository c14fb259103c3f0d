// Zeros in place of rows that a mask drops, where the first stage writes them: what the last stage then reads.
#pragma once

#include "half_tile.cuh"
#include "tile.cuh"

// Of x[new][row], where bit k of `dropped` stands for the value k of the new digit.
__device__ __forceinline__ void zero_dropped(HalfTile& x, unsigned int dropped, int lane) {
  if ((dropped >> (lane / 4) & 1) != 0) x = {};
}

// Of x[row][new].
__device__ __forceinline__ void zero_dropped(Tile& x, unsigned int dropped, int lane) {
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const unsigned int two = dropped >> (8 * j + 2 * (lane % 4));
    const Packed kept = ((two & 1) != 0 ? 0 : 0xffffu) | ((two & 2) != 0 ? 0 : 0xffff0000u);
#pragma unroll
    for (int h = 0; h < 2; ++h) x.re[2 * j + h] &= kept, x.im[2 * j + h] &= kept;
  }
}
