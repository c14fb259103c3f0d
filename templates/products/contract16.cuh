// Radix 16: the columns of a tile contracted with a 16 x 16 DFT matrix, forward or conjugate.
#pragma once

#include "accumulator.cuh"
#include "tile.cuh"

// Role B: x[row][column] becomes y[new][row] = sum over columns of f[new][column] x[row][column].
template <bool conjugate>
__device__ __forceinline__ Tile contract_as_b(const Matrix& f, const Tile& x) {
  const Packed(&plus)[4] = conjugate ? f.minus_im : f.im;
  const Packed(&minus)[4] = conjugate ? f.im : f.minus_im;
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator re, im;
    mma(re, f.re[0], f.re[1], f.re[2], f.re[3], x.re[j], x.re[2 + j]);
    mma(im, f.re[0], f.re[1], f.re[2], f.re[3], x.im[j], x.im[2 + j]);
    mma(re, minus[0], minus[1], minus[2], minus[3], x.im[j], x.im[2 + j]);
    mma(im, plus[0], plus[1], plus[2], plus[3], x.re[j], x.re[2 + j]);
    unload(re, y.re[2 * j], y.re[2 * j + 1]);
    unload(im, y.im[2 * j], y.im[2 * j + 1]);
  }
  return y;
}

// Role A: x[row][column] becomes y[row][new] = sum over columns of x[row][column] f[column][new].
template <bool conjugate>
__device__ __forceinline__ Tile contract_as_a(const MatrixB& f, const Tile& x) {
  const Packed(&plus)[4] = conjugate ? f.minus_im : f.im;
  const Packed(&minus)[4] = conjugate ? f.im : f.minus_im;
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator re, im;
    mma(re, x.re[0], x.re[1], x.re[2], x.re[3], f.re[2 * j], f.re[2 * j + 1]);
    mma(im, x.im[0], x.im[1], x.im[2], x.im[3], f.re[2 * j], f.re[2 * j + 1]);
    mma(re, x.im[0], x.im[1], x.im[2], x.im[3], minus[2 * j], minus[2 * j + 1]);
    mma(im, x.re[0], x.re[1], x.re[2], x.re[3], plus[2 * j], plus[2 * j + 1]);
    unload(re, y.re[2 * j], y.re[2 * j + 1]);
    unload(im, y.im[2 * j], y.im[2 * j + 1]);
  }
  return y;
}
