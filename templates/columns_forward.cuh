// Columns from samples to frequencies.
#pragma once

#include "butterfly_tiles.cuh"
#include "contract_columns.cuh"
#include "storage_fp16.cuh"

// Starts the copies of a block's samples, 128 bytes of a row at a time. Samples that do not exist become zero.
__device__ __forceinline__ void load_samples(const ConvArguments& arguments, const ColumnPlace& place,
                                             SharedAddress tile) {
//[[load
  (void)arguments, (void)place, (void)tile;
//]]
}

// Products of 16 down the columns, each with its twiddle to the butterfly's digit, and the butterfly, in place; each
// warp its own columns. The twiddle between columns and rows is left to the rows.
__device__ __forceinline__ void to_frequencies(const ConvArguments& arguments, SharedAddress tile) {
  const uint4* const tables = static_cast<const uint4*>(arguments.tables);
  const int lane = threadIdx.x % 32;
#pragma unroll 1
  for (int chunk = threadIdx.x / 32; chunk < tile_chunks; chunk += block_warps) {
    Columns x[butterflies];
#pragma unroll
    for (int b = 0; b < butterflies; ++b) x[b] = load_columns(columns_at(tile, b, chunk, lane));
#pragma unroll
    for (int b = 0; b < butterflies; ++b) x[b] = contract_columns(read_column_matrix(tables, b, lane), x[b]);
//[[forward_butterfly
//]]
    conjugate_mirrored(x);
#pragma unroll
    for (int b = 0; b < butterflies; ++b) store_columns(columns_at(tile, b, chunk, lane), x[b]);
  }
}

// Stores row by row. The workspace holds the conjugates of the upper half of the frequencies, which take the factors of
// their mirrors; of a lone row the lower half says all.
__device__ __forceinline__ void store_frequencies(const ConvArguments& arguments, const ColumnPlace& place,
                                                  SharedAddress tile) {
  unsigned short* const workspace = static_cast<unsigned short*>(arguments.y) + place.workspace + place.first_column;
  const int rows = place.lone ? column_length / 2 + 1 : column_length;
  const int chunk = threadIdx.x % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 4
    for (int row = threadIdx.x / tile_chunks; row < rows; row += block_threads / tile_chunks)
      store_global(reinterpret_cast<uint4*>(workspace + part * transform_length + row * row_length + 8 * chunk),
                   load_shared(chunk_at(tile, part, row, chunk)));
}
