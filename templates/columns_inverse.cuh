// Columns from frequencies to samples.
#pragma once

#include "butterfly_tiles.cuh"
#include "contract_columns.cuh"
#include "storage_fp16.cuh"

// Starts the copies of a block's frequencies. Of a lone row the lower half stands for all.
__device__ __forceinline__ void load_frequencies(const ConvArguments& arguments, const ColumnPlace& place,
                                                 SharedAddress tile) {
  const unsigned short* const workspace =
      static_cast<const unsigned short*>(arguments.u) + place.workspace + place.first_column;
  const int chunk = threadIdx.x % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 4
    for (int row = threadIdx.x / tile_chunks; row < column_length; row += block_threads / tile_chunks) {
      const int held = place.lone && 2 * row > column_length ? column_length - row : row;
      load_chunk<16>(chunk_at(tile, part, row, chunk),
                     workspace + part * transform_length + held * row_length + 8 * chunk, 8);
    }
  commit_copies();
}

// The butterfly, and products of 16 down the columns, each with the twiddle from the butterfly's digit, in place; each
// warp its own columns.
__device__ __forceinline__ void to_samples(const ConvArguments& arguments, SharedAddress tile) {
  const uint4* const tables = static_cast<const uint4*>(arguments.tables);
  const int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int chunk = threadIdx.x / 32; chunk < tile_chunks; chunk += block_warps) {
    Columns x[butterflies];
#pragma unroll
    for (int b = 0; b < butterflies; ++b) x[b] = load_columns(columns_at(tile, b, chunk, lane));
    conjugate_mirrored(x);
//[[inverse_butterfly
//]]
#pragma unroll
    for (int b = 0; b < butterflies; ++b) x[b] = contract_columns(read_column_matrix(tables, b, lane), x[b]);
#pragma unroll
    for (int b = 0; b < butterflies; ++b) store_columns(columns_at(tile, b, chunk, lane), x[b]);
  }
}

// Stores row by row, scaled and in the rows' own type.
__device__ __forceinline__ void store_samples(const ConvArguments& arguments, const ColumnPlace& place,
                                              SharedAddress tile) {
  const unsigned char* const spectrum_end =
      static_cast<const unsigned char*>(arguments.spectrum) + (place.channel + 1) * spectrum_channel_bytes;
  const float scale = load_constant(reinterpret_cast<const float*>(spectrum_end - 16));
//[[store
  (void)tile, (void)scale;
//]]
}
