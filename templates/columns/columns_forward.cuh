// Columns from samples to frequencies.
#pragma once

#include "column_butterflies.cuh"
#include "column_products.cuh"
#include "columns_apart.cuh"
#include "measured_tile.cuh"
#include "storage_fp16.cuh"

// Starts the copies of a tile's samples, a line of a row at a time. Samples that do not exist become zero.
//[[load_samples
__device__ __forceinline__ void load_samples(const ConvArguments& arguments, const Pair& at, int first_column,
                                             SharedAddress tile, int thread) {
//]]
//[[samples_in
  (void)arguments, (void)at, (void)first_column, (void)tile, (void)thread;
//]]
}
//[[gates_in
//]]

// Products, from samples as they are stored.
//[[contract_samples
__device__ __forceinline__ void contract_samples(ColumnMatrices tables, SharedAddress tile, int thread) {
//]]
//[[sample_scale
//]]
  contract_tile_in(tables, tile, thread, [&](SharedAddress at) {
//[[read_samples
    Columns x = load_columns(at);
//]]
//[[to_packed
//]]
    return x;
  });
//[[report_samples
//]]
}

// Stores row by row. Of pairs the workspace holds the conjugates of the upper half of the frequencies, which take the
// factors of their mirrors; of lone rows the lower half of each.
__device__ __forceinline__ void store_frequencies(const SplitArguments& split, const Place& place, const Pair& at,
                                                  int first_column, SharedAddress tile, int thread) {
  unsigned short* const workspace =
      static_cast<unsigned short*>(split.workspace) + 2LL * place.slot * plane_length + first_column;
//[[lone_out
  if (is_lone(split.conv, at)) {
    store_apart(split, workspace, tile, thread);
    return;
  }
//]]
//[[frequencies_out
  const int chunk = thread % tile_chunks;
  unsigned short* const first = workspace + (thread / tile_chunks * columns + 8 * chunk);
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll stores_at_once
    for (int i = 0; i < (column_length + copied_rows - 1) / copied_rows; ++i) {
      const int row = thread / tile_chunks + i * copied_rows;
      if (column_length % copied_rows != 0 && row >= column_length) break;
      store_global(reinterpret_cast<uint4*>(first + (part * plane_length + i * copied_rows * columns)),
                   load_shared(chunk_at(tile, part, row, chunk)));
    }
//]]
}
