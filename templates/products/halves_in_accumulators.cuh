// Sums and differences in the accumulators, nothing is rounded before the products.
#pragma once

#include "halves_accumulator.cuh"
#include "mma_acc32.cuh"

// Role A: x[row][column] becomes y[row][new], even values of the new digit before odd ones.
__device__ __forceinline__ Tile contract_halves_as_a(const Halves& f, const Tile& x) {
  HalvesAccumulator even_re, even_im, odd_re, odd_im;
  mma(even_re, x.re[0], x.re[1], x.im[0], x.im[1], f.even[0], f.even[1]);
  mma(even_im, x.re[0], x.re[1], x.im[0], x.im[1], f.even[2], f.even[3]);
  mma(odd_re, x.re[0], x.re[1], x.im[0], x.im[1], f.odd[0], f.odd[1]);
  mma(odd_im, x.re[0], x.re[1], x.im[0], x.im[1], f.odd[2], f.odd[3]);
  mma(even_re, x.re[2], x.re[3], x.im[2], x.im[3], f.even[0], f.even[1]);
  mma(even_im, x.re[2], x.re[3], x.im[2], x.im[3], f.even[2], f.even[3]);
  mma(odd_re, x.re[2], x.re[3], x.im[2], x.im[3], f.minus_odd[0], f.minus_odd[1]);
  mma(odd_im, x.re[2], x.re[3], x.im[2], x.im[3], f.minus_odd[2], f.minus_odd[3]);
  Tile y;
  unload(even_re, y.re[0], y.re[1]);
  unload(even_im, y.im[0], y.im[1]);
  unload(odd_re, y.re[2], y.re[3]);
  unload(odd_im, y.im[2], y.im[3]);
  return y;
}

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
