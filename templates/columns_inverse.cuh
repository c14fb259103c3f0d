// Columns from frequencies to samples.
#pragma once

#include "column_butterflies.cuh"
#include "column_products.cuh"
#include "columns_apart.cuh"
#include "storage_fp16.cuh"

// Starts the copies of a tile's frequencies.
__device__ __forceinline__ void load_frequencies(const SplitArguments& split, const Place& place, int first_column,
                                                 SharedAddress tile, int thread) {
  const unsigned short* const workspace =
      static_cast<const unsigned short*>(split.workspace) + 2LL * place.slot * plane_length + first_column;
//[[copies_in
  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 4
    for (int row = thread / tile_chunks; row < column_length; row += unit_threads / tile_chunks) {
      load_chunk<16>(chunk_at(tile, part, row, chunk),
                     workspace + part * plane_length + row * row_length + 8 * chunk, 8);
    }
//]]
  commit_copies();
}

// Products.
__device__ __forceinline__ void contract_frequencies(const uint4* tables, SharedAddress tile, int thread) {
  contract_tile_out(tables, tile, thread);
}
//[[gates_out
//]]

// What a channel's filter was divided by.
__device__ __forceinline__ float scale_of(const ConvArguments& arguments, int channel) {
  const unsigned char* const spectrum_end =
      static_cast<const unsigned char*>(arguments.spectrum) + (channel + 1) * spectrum_channel_bytes;
  return load_constant(reinterpret_cast<const float*>(spectrum_end - 16));
}

// Stores row by row, scaled and in the rows' own type.
__device__ __forceinline__ void store_samples(const ConvArguments& arguments, const Pair& at, int first_column,
                                              SharedAddress tile, int thread) {
//[[samples_out
  (void)arguments, (void)at, (void)first_column, (void)tile, (void)thread;
//]]
}
