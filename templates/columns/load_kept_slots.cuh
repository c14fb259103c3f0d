// A tile's rows of frequencies, as the workspace holds those that a mask keeps, each at the slot of its place. Slots
// behind the last row become zero.
#pragma once

#include "column_tile.cuh"

// Starts their copies. `workspace` is where the place's row 0 has the tile's first column.
__device__ __forceinline__ void load_slots(const SplitArguments& split, const unsigned short* workspace,
                                           SharedAddress tile, int thread) {
  (void)split;
  const int chunk = thread % tile_chunks;
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll
    for (int i = 0; i < kept_slots / copied_rows; ++i) {
      const int kept = thread / tile_chunks + i * copied_rows;
      load_chunk<16>(chunk_at(tile, part, kept, chunk),
                     workspace + (part * kept_rows + min(kept, kept_rows - 1)) * row_length + 8 * chunk,
                     kept < kept_rows ? 8 : 0);
    }
}
