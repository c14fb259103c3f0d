// Columns from frequencies to samples.
#pragma once

#include "column_butterflies.cuh"
#include "column_products.cuh"
#include "storage_fp16.cuh"

// Starts the copies of a tile's frequencies. Of a lone row the lower half stands for all.
__device__ __forceinline__ void load_frequencies(const SplitArguments& split, const Place& place, bool lone,
                                                 int first_column, SharedAddress tile, int thread) {
//[[workspace_in
  const unsigned short* const workspace =
      static_cast<const unsigned short*>(split.workspace) + 2LL * place.slot * transform_length + first_column;
//]]
  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 4
    for (int row = thread / tile_chunks; row < column_length; row += unit_threads / tile_chunks) {
//[[frequencies_in
      const int held = lone && 2 * row > column_length ? column_length - row : row;
      load_chunk<16>(chunk_at(tile, part, row, chunk),
                     workspace + part * transform_length + held * row_length + 8 * chunk, 8);
//]]
    }
  commit_copies();
}

// Products.
__device__ __forceinline__ void contract_frequencies(const uint4* tables, SharedAddress tile, int thread) {
  contract_tile_out(tables, tile, thread);
}
//[[gates_out
//]]

// Stores row by row, scaled and in the rows' own type.
__device__ __forceinline__ void store_samples(const ConvArguments& arguments, const Pair& at, int first_column,
                                              SharedAddress tile, int thread) {
  const unsigned char* const spectrum_end =
      static_cast<const unsigned char*>(arguments.spectrum) + (at.channel + 1) * spectrum_channel_bytes;
  const float scale = load_constant(reinterpret_cast<const float*>(spectrum_end - 16));
//[[samples_out
  (void)first_column, (void)tile, (void)thread, (void)scale;
//]]
}
