// Radix 8 in one matrix product: complex 8 as the real 16 x 16 matrix [Fr -Fi; Fi Fr].
#pragma once

#include "accumulator.cuh"
#include "half_tile.cuh"
#include "tile.cuh"

// The symmetric 8 x 8 DFT matrix, each part one register. Products take those of the real matrix side by side: one that
// stood in two places would be copied each time, unless both come from memory.
struct Matrix8 {
  Packed re, im, minus_im, same_re;
};

// Role B: x[row][column] becomes y[new][row]; y.re[j] holds new = lane/4, rows 8 j + 2 (lane%4), + 1.
template <bool conjugate>
__device__ __forceinline__ HalfTile contract_as_b(const Matrix8& f, const HalfTile& x) {
  const Packed plus = conjugate ? f.minus_im : f.im;
  const Packed minus = conjugate ? f.im : f.minus_im;
  HalfTile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator sum;
    mma(sum, f.re, plus, minus, f.same_re, x.re[j], x.im[j]);
    unload(sum, y.re[j], y.im[j]);
  }
  return y;
}

// Role A: x[row][column] becomes y[row][new].
template <bool conjugate>
__device__ __forceinline__ HalfTile contract_as_a(const Matrix8& f, const HalfTile& x) {
  const Packed plus = conjugate ? f.minus_im : f.im;
  const Packed minus = conjugate ? f.im : f.minus_im;
  HalfTile y;
  Accumulator re, im;
  mma(re, x.re[0], x.re[1], x.im[0], x.im[1], f.re, minus);
  mma(im, x.re[0], x.re[1], x.im[0], x.im[1], plus, f.same_re);
  unload(re, y.re[0], y.re[1]);
  unload(im, y.im[0], y.im[1]);
  return y;
}

// Times a factor that depends on the column alone: factor = {re, im}.
__device__ __forceinline__ void multiply_columns(HalfTile& x, const uint2& factor) {
#pragma unroll
  for (int h = 0; h < 2; ++h) multiply(x.re[h], x.im[h], factor.x, factor.y);
}

__device__ __forceinline__ void multiply_columns_conj(HalfTile& x, const uint2& factor) {
#pragma unroll
  for (int h = 0; h < 2; ++h) multiply_conj(x.re[h], x.im[h], factor.x, factor.y);
}
