// A tile's rows of frequencies, as the workspace holds them.
#pragma once

#include "column_tile.cuh"

// Starts their copies. `workspace` is where the place's row 0 has the tile's first column.
__device__ __forceinline__ void load_slots(const SplitArguments& split, const unsigned short* workspace,
                                           SharedAddress tile, int thread) {
  (void)split;
  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll 4
    for (int row = thread / tile_chunks; row < column_length; row += unit_threads / tile_chunks) {
//[[frequencies_in
      load_chunk<16>(chunk_at(tile, part, row, chunk),
                     workspace + part * plane_length + row * columns + 8 * chunk, 8);
//]]
    }
}
