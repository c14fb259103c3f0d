// The digit behind the products of a column, where it is one: butterflies over the tiles of 16 rows, in place.
#pragma once

#include "butterfly_tiles.cuh"
#include "conjugate_mirrored.cuh"

// The twiddle between columns and rows is left to the rows.
__device__ __forceinline__ void to_frequencies(SharedAddress tile, int thread) {
  const int lane = thread % 32;
#pragma unroll 1
  for (int chunk = thread / 32; chunk < tile_chunks; chunk += unit_warps) {
    Columns x[butterflies];
#pragma unroll
    for (int b = 0; b < butterflies; ++b) x[b] = load_columns(columns_at(tile, b, chunk, lane));
//[[forward_butterfly
//]]
    conjugate_mirrored(x);
#pragma unroll
//[[kept_blocks_out
    for (int b = 0; b < butterflies; ++b) store_columns_transposed(columns_at(tile, b, chunk, lane), x[b]);
//]]
  }
}

__device__ __forceinline__ void from_frequencies(SharedAddress tile, int thread) {
  const int lane = thread % 32;
#pragma unroll 1
  for (int chunk = thread / 32; chunk < tile_chunks; chunk += unit_warps) {
    Columns x[butterflies];
#pragma unroll
//[[kept_blocks_in
    for (int b = 0; b < butterflies; ++b) x[b] = load_columns(columns_at(tile, b, chunk, lane));
//]]
    conjugate_mirrored(x);
//[[inverse_butterfly
//]]
#pragma unroll
    for (int b = 0; b < butterflies; ++b) store_columns_transposed(columns_at(tile, b, chunk, lane), x[b]);
  }
}
