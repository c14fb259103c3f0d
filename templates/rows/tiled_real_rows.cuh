// Rows alone: on the way in a pair's rows have a real part only, and on the way back only that is wanted.
#pragma once

#include "accumulator.cuh"
#include "shared_tile.cuh"
#include "tile.cuh"

// The real part of a tile.
struct RealTile {
  Packed re[4];
};

__device__ __forceinline__ RealTile load_real_rows(SharedAddress from) {
  RealTile x;
  load_blocks_transposed(from, x.re[0], x.re[1], x.re[2], x.re[3]);
  return x;
}

__device__ __forceinline__ void store_real_rows_transposed(SharedAddress to, const RealTile& x) {
  store_blocks_transposed(to, x.re[0], x.re[1], x.re[2], x.re[3]);
}

// Role A: x[row][column] becomes y[row][new].
__device__ __forceinline__ Tile contract_real_input(const MatrixB& f, const RealTile& x) {
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator re, im;
    mma(re, x.re[0], x.re[1], x.re[2], x.re[3], f.re[2 * j], f.re[2 * j + 1]);
    mma(im, x.re[0], x.re[1], x.re[2], x.re[3], f.im[2 * j], f.im[2 * j + 1]);
    unload(re, y.re[2 * j], y.re[2 * j + 1]);
    unload(im, y.im[2 * j], y.im[2 * j + 1]);
  }
  return y;
}

// Role A, conjugate: x[row][column] becomes the real part of y[row][new].
__device__ __forceinline__ RealTile contract_real_output(const MatrixB& f, const Tile& x) {
  RealTile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator re;
    mma(re, x.re[0], x.re[1], x.re[2], x.re[3], f.re[2 * j], f.re[2 * j + 1]);
    mma(re, x.im[0], x.im[1], x.im[2], x.im[3], f.im[2 * j], f.im[2 * j + 1]);
    unload(re, y.re[2 * j], y.re[2 * j + 1]);
  }
  return y;
}

#include "contract_wide_real.cuh"
