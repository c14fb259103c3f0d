// The last digit of a row, of which 8 frequencies are kept: the products to and from them halve.
#pragma once

#include "contract16_kept.cuh"

// The columns of the matrix that are kept as B operand, and those of the conjugate one as A operand: there the
// contracted index is (re 8, im 8).
struct KeptColumns {
  uint4 to, back;
};

// Role A: x[row][column] becomes y[row][8 kept].
__device__ __forceinline__ HalfTile contract_to_kept(const KeptColumns& f, const Tile& x) {
  HalfTile y;
  Accumulator re, im;
  mma(re, x.re[0], x.re[1], x.re[2], x.re[3], f.to.x, f.to.y);
  mma(im, x.im[0], x.im[1], x.im[2], x.im[3], f.to.x, f.to.y);
  mma(re, x.im[0], x.im[1], x.im[2], x.im[3], neg(f.to.z), neg(f.to.w));
  mma(im, x.re[0], x.re[1], x.re[2], x.re[3], f.to.z, f.to.w);
  unload(re, y.re[0], y.re[1]);
  unload(im, y.im[0], y.im[1]);
  return y;
}

// Role B, conjugate: x[row][8 kept] becomes y[16 new][row].
__device__ __forceinline__ Tile contract_from_kept(const KeptColumns& f, const HalfTile& x) {
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator re, im;
    mma(re, f.back.x, f.back.y, f.back.z, f.back.w, x.re[j], x.im[j]);
    mma(im, neg(f.back.z), neg(f.back.w), f.back.x, f.back.y, x.re[j], x.im[j]);
    unload(re, y.re[2 * j], y.re[2 * j + 1]);
    unload(im, y.im[2 * j], y.im[2 * j + 1]);
  }
  return y;
}
