// Role A of products in halves: of sums and differences that are rounded before.
#pragma once

#include "accumulator.cuh"

// Role A: x[row][column] becomes y[row][new], even values of the new digit before odd ones.
__device__ __forceinline__ Tile contract_halves_as_a(const Halves& f, const Tile& x) {
  Packed sum[4], difference[4];  // real parts of both rows, then imaginary parts
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    sum[h] = add(x.re[h], x.re[2 + h]), sum[2 + h] = add(x.im[h], x.im[2 + h]);
    difference[h] = sub(x.re[h], x.re[2 + h]), difference[2 + h] = sub(x.im[h], x.im[2 + h]);
  }
  Accumulator even_re, even_im, odd_re, odd_im;
  mma(even_re, sum[0], sum[1], sum[2], sum[3], f.even[0], f.even[1]);
  mma(even_im, sum[0], sum[1], sum[2], sum[3], f.even[2], f.even[3]);
  mma(odd_re, difference[0], difference[1], difference[2], difference[3], f.odd[0], f.odd[1]);
  mma(odd_im, difference[0], difference[1], difference[2], difference[3], f.odd[2], f.odd[3]);
  Tile y;
  unload(even_re, y.re[0], y.re[1]);
  unload(even_im, y.im[0], y.im[1]);
  unload(odd_re, y.re[2], y.re[3]);
  unload(odd_im, y.im[2], y.im[3]);
  return y;
}
