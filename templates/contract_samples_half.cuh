// Columns whose lower 8 rows are padding: one product a part, of the matrix that takes 8 real and 8 imaginary parts.
#pragma once

#include "column_tile.cuh"

__device__ __forceinline__ ColumnTile contract_samples(const ColumnMatrix& f, const ColumnTile& x) {
  ColumnTile y;
#pragma unroll
  for (int t = 0; t < columns_per_lane; t += samples_at_once) {
    Accumulator32 re[samples_at_once], im[samples_at_once];
#pragma unroll
    for (int i = 0; i < samples_at_once; ++i) {
      const int at = 2 * (t + i);
      multiply_block(re[i], f.first, x.re[at], x.im[at]);
      multiply_block(im[i], f.second, x.re[at], x.im[at]);
    }
    unload_columns(re, t, y.re, y.re + columns_per_lane);
    unload_columns(im, t, y.im, y.im + columns_per_lane);
  }
  return y;
}
