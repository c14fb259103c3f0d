// The second last digit of a row, of which 8 frequencies are kept: all products halve.
#pragma once

#include "contract16_kept.cuh"

// The rows of the matrix that are kept, as A operand: real parts above imaginary parts.
struct KeptRows {
  uint4 f;
};

// Role B: x[row][column] becomes y[8 kept][row].
__device__ __forceinline__ HalfTile contract_to_kept(const KeptRows& m, const Tile& x) {
  HalfTile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator sum;
    mma(sum, m.f.x, m.f.y, m.f.z, m.f.w, x.re[j], x.re[2 + j]);
    mma(sum, neg(m.f.y), m.f.x, neg(m.f.w), m.f.z, x.im[j], x.im[2 + j]);
    unload(sum, y.re[j], y.im[j]);
  }
  return y;
}

// Role A of 8 rows: x[8][column] becomes y[8][new].
__device__ __forceinline__ HalfTile contract_eight_rows(const MatrixB& f, const HalfTile& x) {
  HalfTile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator sum;
    mma(sum, x.re[0], x.im[0], x.re[1], x.im[1], f.re[2 * j], f.re[2 * j + 1]);
    mma(sum, neg(x.im[0]), x.re[0], neg(x.im[1]), x.re[1], f.im[2 * j], f.im[2 * j + 1]);
    unload(sum, y.re[j], y.im[j]);
  }
  return y;
}

// Role B of 8 rows, conjugate: x[8][column] becomes y[16 new][8].
__device__ __forceinline__ HalfTile contract_eight_rows_back(const Matrix& f, const HalfTile& x) {
  HalfTile y;
  Accumulator re, im;
  mma(re, f.re[0], f.re[1], f.re[2], f.re[3], x.re[0], x.re[1]);
  mma(im, f.re[0], f.re[1], f.re[2], f.re[3], x.im[0], x.im[1]);
  mma(re, f.im[0], f.im[1], f.im[2], f.im[3], x.im[0], x.im[1]);
  mma(im, f.minus_im[0], f.minus_im[1], f.minus_im[2], f.minus_im[3], x.re[0], x.re[1]);
  unload(re, y.re[0], y.re[1]);
  unload(im, y.im[0], y.im[1]);
  return y;
}

// The kept columns of the conjugate matrix as B operands: the contracted index is (re 8, im 8).
struct KeptInputs {
  uint4 to_re, to_im;
};

// Role A: x[row][8 kept] becomes y[row][16 new].
__device__ __forceinline__ Tile contract_from_kept(const KeptInputs& f, const HalfTile& x) {
  Tile y;
  Accumulator re[2], im[2];
  mma(re[0], x.re[0], x.re[1], x.im[0], x.im[1], f.to_re.x, f.to_re.y);
  mma(im[0], x.re[0], x.re[1], x.im[0], x.im[1], f.to_im.x, f.to_im.y);
  mma(re[1], x.re[0], x.re[1], x.im[0], x.im[1], f.to_re.z, f.to_re.w);
  mma(im[1], x.re[0], x.re[1], x.im[0], x.im[1], f.to_im.z, f.to_im.w);
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    unload(re[j], y.re[2 * j], y.re[2 * j + 1]);
    unload(im[j], y.im[2 * j], y.im[2 * j + 1]);
  }
  return y;
}
