// Columns times a 16 x 16 matrix, 8 columns at a time, rounded once.
#pragma once

#include "column_tile.cuh"

// Eight columns of 16 rows. As operand, re[j] holds rows 2 (lane%4) + 8 j and the next of column lane/4; as result, row
// lane/4 + 8 j of columns 2 (lane%4) and the next.
struct Columns {
  Packed re[2], im[2];
};

// A 16 x 16 complex matrix as A operand.
struct ColumnMatrix {
  uint4 re, im;
};

//[[column_matrices
using ColumnMatrices = const uint4*;

__device__ __forceinline__ ColumnMatrix read_column_matrix(ColumnMatrices tables, int b, int lane) {
  return {load_constant(tables + 64 * b + lane), load_constant(tables + 64 * b + 32 + lane)};
}
//]]

__device__ __forceinline__ void multiply_block(Accumulator32& d, const uint4& f, const Packed (&x)[2]) {
  mma(d, f.x, f.y, f.z, f.w, x[0], x[1]);
}

__device__ __forceinline__ Columns contract_columns(const ColumnMatrix& f, const Columns& x) {
  const Packed minus_im[2] = {neg(x.im[0]), neg(x.im[1])};
  Accumulator32 re, im;
  multiply_block(re, f.re, x.re);
  multiply_block(im, f.re, x.im);
  multiply_block(re, f.im, minus_im);
  multiply_block(im, f.im, x.re);
  Columns y;
  unload(re, y.re[0], y.re[1]);
  unload(im, y.im[0], y.im[1]);
  return y;
}

// The address of this lane's row in both halves of tile b, in both parts.
__device__ __forceinline__ SharedAddress columns_at(SharedAddress tile, int b, int chunk, int lane) {
  return chunk_at(tile, lane / 16, 16 * b + lane % 16, chunk);
}

__device__ __forceinline__ Columns load_columns(SharedAddress from) {
  Columns x;
  load_blocks_transposed(from, x.re[0], x.re[1], x.im[0], x.im[1]);
  return x;
}

__device__ __forceinline__ void store_columns(SharedAddress to, const Columns& x) {
  store_blocks(to, x.re[0], x.re[1], x.im[0], x.im[1]);
}

// The same where x lies as it was loaded.
__device__ __forceinline__ void store_columns_transposed(SharedAddress to, const Columns& x) {
  store_blocks_transposed(to, x.re[0], x.re[1], x.im[0], x.im[1]);
}

// First products down the columns, each with the twiddle between their digit and those behind it, in place: `multiply`
// does the first chunk of a section and those behind it. A warp keeps the section's matrix.
template <class Multiply>
__device__ __forceinline__ void for_each_matrix(ColumnMatrices tables, int thread, Multiply multiply) {
#pragma unroll 1
  for (int share = thread / 32; share < sections * columns_shares; share += unit_warps) {
    const int b = share / columns_shares, first = share % columns_shares * product_chunks;
    multiply(read_column_matrix(tables, b, thread % 32), b, first);
  }
}
