// Radix 16 where half of the digit is padding: 8 live inputs on the way in, 8 wanted outputs on the way back.
#pragma once

#include "accumulator.cuh"
#include "half_tile.cuh"
#include "shared_tile.cuh"
#include "tile.cuh"

// B operands of the live half of the matrix, real above imaginary part: the contracted index is (re 8, im 8).
struct HalfMatrix {
  Packed to_re[2][2], to_im[2][2];
};

__device__ __forceinline__ HalfMatrix make_half_matrix(const uint4& to_re, const uint4& to_im) {
  return {{{to_re.x, to_re.y}, {to_re.z, to_re.w}}, {{to_im.x, to_im.y}, {to_im.z, to_im.w}}};
}

__device__ __forceinline__ HalfMatrix load_half_matrix(SharedAddress from, int lane) {
  return make_half_matrix(load_shared(from + 16 * lane), load_shared(from + 512 + 16 * lane));
}

// Role A: x[row][8 columns] becomes y[row][16 new].
__device__ __forceinline__ Tile contract_half_input(const HalfMatrix& f, const HalfTile& x) {
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator re, im;
    mma(re, x.re[0], x.re[1], x.im[0], x.im[1], f.to_re[j][0], f.to_re[j][1]);
    mma(im, x.re[0], x.re[1], x.im[0], x.im[1], f.to_im[j][0], f.to_im[j][1]);
    unload(re, y.re[2 * j], y.re[2 * j + 1]);
    unload(im, y.im[2 * j], y.im[2 * j + 1]);
  }
  return y;
}

// Role A, conjugate: x[row][16 columns] becomes the first 8 columns of y[row][new].
__device__ __forceinline__ HalfTile contract_half_output(const MatrixB& f, const Tile& x) {
  HalfTile y;
  Accumulator re, im;
  mma(re, x.re[0], x.re[1], x.re[2], x.re[3], f.re[0], f.re[1]);
  mma(im, x.im[0], x.im[1], x.im[2], x.im[3], f.re[0], f.re[1]);
  mma(re, x.im[0], x.im[1], x.im[2], x.im[3], f.im[0], f.im[1]);
  mma(im, x.re[0], x.re[1], x.re[2], x.re[3], f.minus_im[0], f.minus_im[1]);
  unload(re, y.re[0], y.re[1]);
  unload(im, y.im[0], y.im[1]);
  return y;
}
