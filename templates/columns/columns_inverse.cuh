// Columns from frequencies to samples.
#pragma once

#include "column_butterflies.cuh"
#include "column_products.cuh"
#include "columns_apart.cuh"
#include "load_slots.cuh"
#include "storage_fp16.cuh"

// Starts the copies of a tile's frequencies.
//[[load_frequencies
__device__ __forceinline__ void load_frequencies(const SplitArguments& split, const Place& place, int first_column,
                                                 SharedAddress tile, int thread) {
//]]
  const unsigned short* const workspace =
      static_cast<const unsigned short*>(split.workspace) + 2LL * place.slot * plane_length + first_column;
  load_slots(split, workspace, tile, thread);
//[[leaving
//]]
  commit_copies();
}

// Products.
__device__ __forceinline__ void contract_frequencies(ColumnMatrices tables, SharedAddress tile, int thread) {
  contract_tile_out(tables, tile, thread);
}
//[[gates_out
//]]

// Stores row by row, scaled and in the rows' own type.
//[[store_samples
__device__ __forceinline__ void store_samples(const ConvArguments& arguments, const Pair& at, int first_column,
                                              SharedAddress tile, int thread) {
//]]
//[[samples_out
  (void)arguments, (void)at, (void)first_column, (void)tile, (void)thread;
//]]
}
