// A tile's rows of frequencies, as the workspace holds them.
#pragma once

#include "column_tile.cuh"

// Starts their copies. `workspace` is where the place's row 0 has the tile's first column.
__device__ __forceinline__ void load_slots(const SplitArguments& split, const unsigned short* workspace,
                                           SharedAddress tile, int thread) {
  (void)split;
  const int chunk = thread % tile_chunks;
//[[first_in
  const unsigned short* const first = workspace + (thread / tile_chunks * columns + 8 * chunk);
//]]
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll loads_at_once
    for (int i = 0; i < (column_length + copied_rows - 1) / copied_rows; ++i) {
      const int row = thread / tile_chunks + i * copied_rows;
      if (column_length % copied_rows != 0 && row >= column_length) break;
//[[frequencies_in
      load_chunk<16>(chunk_at(tile, part, row, chunk), first + (part * plane_length + i * copied_rows * columns), 8);
//]]
    }
}
