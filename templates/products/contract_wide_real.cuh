// The column products of real rows in fp32.
#pragma once

#include "contract_wide.cuh"

__device__ __forceinline__ void multiply_block(Accumulator32& re, Accumulator32& im, const MatrixBlock& f,
                                               const RealTile& x) {
  mma(re, x.re[0], x.re[1], x.re[2], x.re[3], f.re[0], f.re[1]);
  mma(im, x.re[0], x.re[1], x.re[2], x.re[3], f.im[0], f.im[1]);
}
