// A warp's 16 x 16 complex tile in fragment order, and its products with a symmetric DFT matrix.
//
// Register e = 2 j + h of a tile holds row lane/4 + 8 h and columns 8 j + 2 (lane%4), + 1. In this order an accumulator
// is both an A operand and a B operand of the next product, so tiles need no shuffle between stages.
#pragma once

#include "packed.cuh"

struct Tile {
  Packed re[4], im[4];
};

// A matrix as B operand: the two registers of a block of new columns side by side, so that no product has to move them
// there. The negated imaginary part serves the subtraction in complex products.
struct MatrixB {
  Packed re[4], im[4], minus_im[4];
};

// A symmetric DFT matrix as A operand, in fragment order, and as B operand.
struct Matrix {
  Packed re[4], im[4], minus_im[4];
  MatrixB b;
};

// The sign bits of both values: what conjugates a tile's imaginary parts.
constexpr Packed both_signs = 0x80008000u;

// Changes the signs of all values where `signs` is both_signs, and nothing where it is 0.
__device__ __forceinline__ void flip(Packed (&values)[4], Packed signs) {
#pragma unroll
  for (int e = 0; e < 4; ++e) values[e] ^= signs;
}

__device__ __forceinline__ void multiply(Tile& x, const Tile& factor) {
#pragma unroll
  for (int e = 0; e < 4; ++e) multiply(x.re[e], x.im[e], factor.re[e], factor.im[e]);
}

__device__ __forceinline__ void multiply_conj(Tile& x, const Tile& factor) {
#pragma unroll
  for (int e = 0; e < 4; ++e) multiply_conj(x.re[e], x.im[e], factor.re[e], factor.im[e]);
}

// A tile, or half of one, with both values of each register times those of `power`.
template <class SomeTile>
__device__ __forceinline__ SomeTile times_power(SomeTile x, Packed power) {
  constexpr int registers = sizeof(x.re) / sizeof(Packed);
#pragma unroll
  for (int e = 0; e < registers; ++e) x.re[e] = mul(x.re[e], power), x.im[e] = mul(x.im[e], power);
  return x;
}

// Times a factor that depends on the column alone: factor = {re of columns j = 0, 1, im of columns j = 0, 1}.
__device__ __forceinline__ void multiply_columns(Tile& x, const uint4& factor) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    multiply(x.re[h], x.im[h], factor.x, factor.z);
    multiply(x.re[2 + h], x.im[2 + h], factor.y, factor.w);
  }
}

__device__ __forceinline__ void multiply_columns_conj(Tile& x, const uint4& factor) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    multiply_conj(x.re[h], x.im[h], factor.x, factor.z);
    multiply_conj(x.re[2 + h], x.im[2 + h], factor.y, factor.w);
  }
}

__device__ __forceinline__ Tile make_tile(const uint4& re, const uint4& im) {
  return {{re.x, re.y, re.z, re.w}, {im.x, im.y, im.z, im.w}};
}

__device__ __forceinline__ MatrixB make_matrix_b(const uint4& re, const uint4& im) {
  return {{re.x, re.y, re.z, re.w}, {im.x, im.y, im.z, im.w}, {neg(im.x), neg(im.y), neg(im.z), neg(im.w)}};
}

// From its two copies in memory: were one made from the other here, the compiler would keep one and move registers.
__device__ __forceinline__ Matrix make_matrix(const uint4& re, const uint4& im, const uint4& re_b, const uint4& im_b) {
  return {{re.x, re.y, re.z, re.w},
          {im.x, im.y, im.z, im.w},
          {neg(im.x), neg(im.y), neg(im.z), neg(im.w)},
          make_matrix_b(re_b, im_b)};
}
