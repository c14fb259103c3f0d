// The column products and the butterfly behind them in fp32, rounded once: what the longest transforms need.
#pragma once

#include "butterfly.cuh"
#include "contract_wide_half.cuh"
#include "mma_acc32.cuh"
#include "shared_tile.cuh"
#include "tile.cuh"

// Two registers of a matrix in a table: its block j of 8 new columns, blocks one after the other.
struct MatrixBlock {
  Packed re[2], im[2];
};

__device__ __forceinline__ MatrixBlock load_matrix_block(SharedAddress from, int lane, int j) {
  const uint2 re = load_shared8(from + 256 * j + 8 * lane), im = load_shared8(from + 512 + 256 * j + 8 * lane);
  return {{re.x, re.y}, {im.x, im.y}};
}

__device__ __forceinline__ MatrixBlock block_of(const MatrixB& f, int j) {
  return {{f.re[2 * j], f.re[2 * j + 1]}, {f.im[2 * j], f.im[2 * j + 1]}};
}

// x times a block of 8 new columns, added to re and im.
__device__ __forceinline__ void multiply_block(Accumulator32& re, Accumulator32& im, const MatrixBlock& f,
                                               const Tile& x) {
  mma(re, x.re[0], x.re[1], x.re[2], x.re[3], f.re[0], f.re[1]);
  mma(im, x.im[0], x.im[1], x.im[2], x.im[3], f.re[0], f.re[1]);
  mma(re, x.im[0], x.im[1], x.im[2], x.im[3], neg(f.im[0]), neg(f.im[1]));
  mma(im, x.re[0], x.re[1], x.re[2], x.re[3], f.im[0], f.im[1]);
}

// Role A over tiles x[a], each with its own matrix, then the butterfly over a. `block_at(a, j)` is block j of matrix a.
template <class Input, int radix, class BlockAt>
__device__ __forceinline__ void contract_and_butterfly(const BlockAt& block_at, const Input (&x)[radix],
                                                       Tile (&y)[radix]) {
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator32 re[radix], im[radix];
#pragma unroll
    for (int a = 0; a < radix; ++a) multiply_block(re[a], im[a], block_at(a, j), x[a]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      float value_re[radix], value_im[radix];
#pragma unroll
      for (int a = 0; a < radix; ++a) value_re[a] = re[a].value[i], value_im[a] = im[a].value[i];
      butterfly<false>(value_re, value_im);
#pragma unroll
      for (int a = 0; a < radix; ++a) re[a].value[i] = value_re[a], im[a].value[i] = value_im[a];
    }
#pragma unroll
    for (int a = 0; a < radix; ++a) {
      unload(re[a], y[a].re[2 * j], y[a].re[2 * j + 1]);
      unload(im[a], y[a].im[2 * j], y[a].im[2 * j + 1]);
    }
  }
}
