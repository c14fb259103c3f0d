// Products between samples that are half of a column's tiles, and the digit that takes their place, of two chunks at a
// time.
#pragma once

#include "column_half_samples.cuh"
#include "contract_columns.cuh"

static_assert(product_chunks % 2 == 0, "chunks come in pairs");

// The matrices contract what there is of a chunk's samples, to real parts and to imaginary parts.
template <class Load>
__device__ __forceinline__ void contract_tile_in(ColumnMatrices tables, SharedAddress tile, int thread, Load load) {
  const int lane = thread % 32;
  for_each_matrix(tables, thread, [&](const ColumnMatrix& matrix, int b, int first) {
#pragma unroll
    for (int chunk = first; chunk < first + product_chunks; chunk += 2) {
      Columns x = load(narrow_columns_at(tile, b, chunk, lane));
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const Packed samples[2] = {narrow_part(x, j, 0), narrow_part(x, j, 1)};
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

// The matrices contract real parts and imaginary parts, to what is wanted of a chunk's samples.
__device__ __forceinline__ void contract_tile_out(ColumnMatrices tables, SharedAddress tile, int thread) {
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
        unload(samples, narrow_part(y, j, 0), narrow_part(y, j, 1));
      }
      store_columns(narrow_columns_at(tile, b, chunk, lane), y);
    }
  });
}
