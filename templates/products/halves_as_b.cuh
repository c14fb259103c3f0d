// Role B of products in halves: sums and differences in the accumulators.
#pragma once

#include "accumulator.cuh"

// Role B: x[row][column], even columns before odd ones, becomes y[new][row].
__device__ __forceinline__ Tile contract_halves_as_b(const Halves& f, const Tile& x) {
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator even;
    mma(even, f.even[0], f.even[1], f.even[2], f.even[3], x.re[j], x.im[j]);
    Accumulator sum = even, difference = even;
    mma(sum, f.odd[0], f.odd[1], f.odd[2], f.odd[3], x.re[2 + j], x.im[2 + j]);
    mma(difference, f.minus_odd[0], f.minus_odd[1], f.minus_odd[2], f.minus_odd[3], x.re[2 + j], x.im[2 + j]);
    unload(sum, y.re[2 * j], y.im[2 * j]);
    unload(difference, y.re[2 * j + 1], y.im[2 * j + 1]);
  }
  return y;
}
