// Columns of which nobody reads the lower 8 rows: one product a part, to 8 real and 8 imaginary parts.
#pragma once

#include "column_tile.cuh"

__device__ __forceinline__ ColumnTile contract_frequencies(const ColumnMatrix& f, const ColumnTile& x) {
  ColumnTile y;
#pragma unroll
  for (int t = 0; t < columns_per_lane; t += samples_at_once) {
    Accumulator32 both[samples_at_once];
#pragma unroll
    for (int i = 0; i < samples_at_once; ++i) {
      const int at = 2 * (t + i);
      multiply_block(both[i], f.first, x.re[at], x.re[at + 1]);
      multiply_block(both[i], f.second, x.im[at], x.im[at + 1]);
    }
    unload_columns(both, t, y.re, y.im);
  }
  return y;
}
