// Products between real samples and the digit that takes their place, at frequencies k + 1/4 of the column: with those,
// a transform of P points is one modulo x^P = -i, so that what comes behind the P samples of a convolution turns
// imaginary. Real parts are all there is on the way in, and all that is wanted on the way back, of two chunks at a time.
#pragma once

#include "contract_columns.cuh"

static_assert(product_chunks % 2 == 0, "chunks come in pairs");

// The address of this lane's row in both halves of tile b's real part: re[j] and im[j] of Columns are those of two
// chunks.
__device__ __forceinline__ SharedAddress real_columns_at(SharedAddress tile, int b, int chunk, int lane) {
  return chunk_at(tile, 0, 16 * b + lane % 16, chunk + lane / 16);
}

// The matrices contract real parts, to real parts and to imaginary parts.
template <class Load>
__device__ __forceinline__ void contract_tile_in(const uint4* tables, SharedAddress tile, int thread, Load load) {
  const int lane = thread % 32;
  for_each_matrix(tables, thread, [&](const ColumnMatrix& matrix, int b, int first) {
#pragma unroll
    for (int chunk = first; chunk < first + product_chunks; chunk += 2) {
      const Columns x = load(real_columns_at(tile, b, chunk, lane));
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const Packed(&samples)[2] = j == 0 ? x.re : x.im;
        Accumulator32 re, im;
        multiply_block(re, matrix.re, samples);
        multiply_block(im, matrix.im, samples);
        Columns y;
        unload(re, y.re[0], y.re[1]);
        unload(im, y.im[0], y.im[1]);
        store_columns(columns_at(tile, b, chunk + j, lane), y);
      }
    }
  });
}

// The matrices contract real parts and imaginary parts, to real parts.
__device__ __forceinline__ void contract_tile_out(const uint4* tables, SharedAddress tile, int thread) {
  const int lane = thread % 32;
  for_each_matrix(tables, thread, [&](const ColumnMatrix& matrix, int b, int first) {
#pragma unroll
    for (int chunk = first; chunk < first + product_chunks; chunk += 2) {
      Columns y;
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const Columns x = load_columns(columns_at(tile, b, chunk + j, lane));
        Accumulator32 samples;
        multiply_block(samples, matrix.re, x.re);
        multiply_block(samples, matrix.im, x.im);
        Packed(&result)[2] = j == 0 ? y.re : y.im;
        unload(samples, result[0], result[1]);
      }
      store_columns(real_columns_at(tile, b, chunk, lane), y);
    }
  });
}
