// Factors of columns times powers of two of theirs.
#pragma once

#include "row_powers.cuh"

// The matrix of butterfly value `a`.
__device__ __forceinline__ MatrixB times_powers(MatrixB matrix, const RowPowers& powers, int a = 0) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    matrix.re[e] = mul(matrix.re[e], powers.of[2 * a + e % 2]),
    matrix.im[e] = mul(matrix.im[e], powers.of[2 * a + e % 2]);
    matrix.minus_im[e] = neg(matrix.im[e]);
  }
  return matrix;
}

__device__ __forceinline__ uint2 times_power(const uint2& shift, Packed power) {
  return make_uint2(mul(shift.x, power), mul(shift.y, power));
}
