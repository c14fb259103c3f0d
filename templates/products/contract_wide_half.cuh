// Blocks of a half matrix for the column products in fp32.
#pragma once

#include "contract16_half.cuh"
#include "mma_acc32.cuh"

// Four registers of a half matrix in a table: its block j of 8 new columns.
struct HalfMatrixBlock {
  Packed to_re[2], to_im[2];
};

__device__ __forceinline__ HalfMatrixBlock load_half_matrix_block(SharedAddress from, int lane, int j) {
  const uint2 to_re = load_shared8(from + 256 * j + 8 * lane), to_im = load_shared8(from + 512 + 256 * j + 8 * lane);
  return {{to_re.x, to_re.y}, {to_im.x, to_im.y}};
}

__device__ __forceinline__ HalfMatrixBlock block_of(const HalfMatrix& f, int j) {
  return {{f.to_re[j][0], f.to_re[j][1]}, {f.to_im[j][0], f.to_im[j][1]}};
}

__device__ __forceinline__ void multiply_block(Accumulator32& re, Accumulator32& im, const HalfMatrixBlock& f,
                                               const HalfTile& x) {
  mma(re, x.re[0], x.re[1], x.im[0], x.im[1], f.to_re[0], f.to_re[1]);
  mma(im, x.re[0], x.re[1], x.im[0], x.im[1], f.to_im[0], f.to_im[1]);
}
