// The digits behind the first products of a column, where they are two: products of 16 over sample rows that lie
// `butterflies` apart, with the twiddle between the digits in them, and butterflies over what they leave, in place. The
// matrices follow those of the first products.
#pragma once

#include "butterfly_tiles.cuh"
#include "conjugate_mirrored.cuh"

// The address of this lane's row among the 16 that are contracted, in both parts: samples butterflies b1 + b of digit
// a, and frequencies b1 + 16 b.
__device__ __forceinline__ SharedAddress inner_samples_at(SharedAddress tile, int a, int b, int chunk, int lane) {
  return chunk_at(tile, lane / 16, 16 * (lane % 16 * butterflies + b) + a, chunk);
}
__device__ __forceinline__ SharedAddress inner_frequencies_at(SharedAddress tile, int a, int b, int chunk, int lane) {
  return chunk_at(tile, lane / 16, 16 * (lane % 16 + 16 * b) + a, chunk);
}

// What a warp takes at a time: chunks of one digit a.
constexpr int inner_chunks = butterflies >= 4 || tile_chunks < 4 / butterflies ? 1 : 4 / butterflies;
constexpr int inner_shares = tile_chunks / inner_chunks;

// `transform` takes digit a of some chunks, given the matrices.
template <class Transform>
__device__ __forceinline__ void for_each_inner(ColumnMatrices tables, int thread, Transform transform) {
  ColumnMatrix matrices[butterflies];
#pragma unroll
  for (int b = 0; b < butterflies; ++b) matrices[b] = read_column_matrix(tables, sections + b, thread % 32);
#pragma unroll 1
  for (int share = thread / 32; share < 16 * inner_shares; share += unit_warps)
    transform(matrices, share / inner_shares, share % inner_shares * inner_chunks);
}

// The twiddle between columns and rows is left to the rows.
__device__ __forceinline__ void to_frequencies(ColumnMatrices tables, SharedAddress tile, int thread) {
  const int lane = thread % 32;
  for_each_inner(tables, thread, [&](const ColumnMatrix(&matrices)[butterflies], int a, int chunk) {
    Columns tiles_in[inner_chunks][butterflies];
#pragma unroll
    for (int i = 0; i < inner_chunks; ++i)
#pragma unroll
      for (int b = 0; b < butterflies; ++b)
        tiles_in[i][b] = load_columns(inner_samples_at(tile, a, b, chunk + i, lane));
#pragma unroll
    for (int i = 0; i < inner_chunks; ++i) {
      Columns(&x)[butterflies] = tiles_in[i];
#pragma unroll
      for (int b = 0; b < butterflies; ++b) x[b] = contract_columns(matrices[b], x[b]);
//[[forward_butterfly
//]]
      conjugate_mirrored(x);
#pragma unroll
      for (int b = 0; b < butterflies; ++b) store_columns(inner_frequencies_at(tile, a, b, chunk + i, lane), x[b]);
    }
  });
}

__device__ __forceinline__ void from_frequencies(ColumnMatrices tables, SharedAddress tile, int thread) {
  const int lane = thread % 32;
  for_each_inner(tables, thread, [&](const ColumnMatrix(&matrices)[butterflies], int a, int chunk) {
    Columns tiles_in[inner_chunks][butterflies];
#pragma unroll
    for (int i = 0; i < inner_chunks; ++i)
#pragma unroll
      for (int b = 0; b < butterflies; ++b)
        tiles_in[i][b] = load_columns(inner_frequencies_at(tile, a, b, chunk + i, lane));
#pragma unroll
    for (int i = 0; i < inner_chunks; ++i) {
      Columns(&x)[butterflies] = tiles_in[i];
      conjugate_mirrored(x);
//[[inverse_butterfly
//]]
#pragma unroll
      for (int b = 0; b < butterflies; ++b)
        store_columns(inner_samples_at(tile, a, b, chunk + i, lane), contract_columns(matrices[b], x[b]));
    }
  });
}
