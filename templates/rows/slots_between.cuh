// Tiles of less than 16 rows: slots of shared memory from the tile's radix on hold no samples.
#pragma once

#include "below_radix.cuh"

// What results or frequencies of the row before have left there may be no numbers, and zero times those would be none
// either. `part` is that of a tile whose columns are the rows of samples.
__device__ __forceinline__ void drop_between(Packed (&part)[4], int lane) {
  part[2] = below_radix<tile_radix>(part[2], 1, lane), part[3] = below_radix<tile_radix>(part[3], 1, lane);
}
