// Role B of products in halves: sums and differences in fp32.
#pragma once

#include "mma_acc32.cuh"

// Role B: x[row][column], even columns before odd ones, becomes y[new][row]. In fp32 the difference of two products is
// twice the first one less their sum, which takes no third product.
__device__ __forceinline__ Tile contract_halves_as_b(const Halves& f, const Tile& x) {
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator32 even;
    mma(even, f.even[0], f.even[1], f.even[2], f.even[3], x.re[j], x.im[j]);
    Accumulator32 sum = even, difference;
    mma(sum, f.odd[0], f.odd[1], f.odd[2], f.odd[3], x.re[2 + j], x.im[2 + j]);
#pragma unroll
    for (int e = 0; e < 4; ++e) difference.value[e] = fmaf(2.0f, even.value[e], -sum.value[e]);
    unload(sum, y.re[2 * j], y.im[2 * j]);
    unload(difference, y.re[2 * j + 1], y.im[2 * j + 1]);
  }
  return y;
}
