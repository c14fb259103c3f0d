// Tiles of less than 16 rows: slots of shared memory from the tile's radix on hold no samples.
#pragma once

#include "packed.cuh"

// What results or frequencies of the row before have left there may be no numbers, and zero times those would be none
// either. `part` is that of a tile whose columns are the rows of samples.
__device__ __forceinline__ void drop_between(Packed (&part)[4], int lane) {
  const int row = 8 + 2 * (lane % 4);
  const Packed low = row < tile_radix ? 0xffffu : 0u, high = row + 1 < tile_radix ? 0xffff0000u : 0u;
  part[2] &= low | high, part[3] &= low | high;
}
