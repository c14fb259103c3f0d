// Role A of products in halves: sums and differences in the accumulators, nothing is rounded before.
#pragma once

#include "halves_accumulator.cuh"

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
