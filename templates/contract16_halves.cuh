// Radix 16 as products of 8 and a butterfly: five eighths of the products of contract16.cuh.
//
// Where the contracted digit comes as its even values in block 0 of a tile's columns and the odd ones in block 1, the
// new digit leaves in its own order: y[k], y[k + 8] = even products +- odd products, which accumulators add up. The other
// way round, where it comes in its own order, sums and differences of its halves make the even and the odd values of the
// new digit.
#pragma once

#include "accumulator.cuh"
#include "tile.cuh"

// The matrices of the even and of the odd values, each of 8 x 8 complex numbers as the real matrix [re -im; im re] in
// fragment order. As A operand the registers are the matrix, as B operand, in pairs, its conjugate transpose.
struct Halves {
  Packed even[4], odd[4];
};

// For role B, which subtracts by a product of its own.
struct SignedHalves {
  Halves plus;
  Packed minus_odd[4];
};

__device__ __forceinline__ SignedHalves make_halves(const uint4& even, const uint4& odd, const uint4& minus_odd) {
  return {{{even.x, even.y, even.z, even.w}, {odd.x, odd.y, odd.z, odd.w}},
          {minus_odd.x, minus_odd.y, minus_odd.z, minus_odd.w}};
}

// Role B: x[row][column], even columns before odd ones, becomes y[new][row].
__device__ __forceinline__ Tile contract_halves_as_b(const SignedHalves& f, const Tile& x) {
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator even;
    mma(even, f.plus.even[0], f.plus.even[1], f.plus.even[2], f.plus.even[3], x.re[j], x.im[j]);
    Accumulator sum = even, difference = even;
    mma(sum, f.plus.odd[0], f.plus.odd[1], f.plus.odd[2], f.plus.odd[3], x.re[2 + j], x.im[2 + j]);
    mma(difference, f.minus_odd[0], f.minus_odd[1], f.minus_odd[2], f.minus_odd[3], x.re[2 + j], x.im[2 + j]);
    unload(sum, y.re[2 * j], y.im[2 * j]);
    unload(difference, y.re[2 * j + 1], y.im[2 * j + 1]);
  }
  return y;
}

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
