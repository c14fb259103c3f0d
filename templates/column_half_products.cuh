// Products between samples and the digit that takes their place, where the upper half of the samples is padding: 8 live
// inputs on the way in, 8 wanted outputs on the way back, of two chunks at a time.
#pragma once

#include "contract_columns.cuh"

static_assert(product_chunks % 2 == 0, "chunks come in pairs");

// The address of this lane's row in the lower half of tile b: re[j] and im[j] of Columns are those of chunk + j.
__device__ __forceinline__ SharedAddress half_columns_at(SharedAddress tile, int b, int chunk, int lane) {
  return chunk_at(tile, lane / 16, 16 * b + lane % 8, chunk + lane / 8 % 2);
}

// The matrices contract (re 8, im 8), to real parts and to imaginary parts.
template <class Load>
__device__ __forceinline__ void contract_tile_in(const uint4* tables, SharedAddress tile, int thread, Load load) {
  const int lane = thread % 32;
  for_each_matrix(tables, thread, [&](const ColumnMatrix& matrix, int b, int first) {
#pragma unroll
    for (int chunk = first; chunk < first + product_chunks; chunk += 2) {
      const Columns x = load(half_columns_at(tile, b, chunk, lane));
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const Packed samples[2] = {x.re[j], x.im[j]};
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

// The matrices contract real parts and imaginary parts, to (re 8, im 8).
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
        unload(samples, y.re[j], y.im[j]);
      }
      store_columns(half_columns_at(tile, b, chunk, lane), y);
    }
  });
}
