// Columns times a 16 x 16 matrix, rounded once.
#pragma once

#include "column_tile.cuh"

__device__ __forceinline__ ColumnTile contract_columns(const ColumnMatrix& f, const ColumnTile& x) {
  const uint4 minus_im = negative(f.second);
  ColumnTile y;
#pragma unroll
  for (int t = 0; t < columns_per_lane; t += samples_at_once) {
    Accumulator32 re[samples_at_once], im[samples_at_once];
#pragma unroll
    for (int i = 0; i < samples_at_once; ++i) {
      const int at = 2 * (t + i);
      multiply_block(re[i], f.first, x.re[at], x.re[at + 1]);
      multiply_block(im[i], f.first, x.im[at], x.im[at + 1]);
      multiply_block(re[i], minus_im, x.im[at], x.im[at + 1]);
      multiply_block(im[i], f.second, x.re[at], x.re[at + 1]);
    }
    unload_columns(re, t, y.re, y.re + columns_per_lane);
    unload_columns(im, t, y.im, y.im + columns_per_lane);
  }
  return y;
}
