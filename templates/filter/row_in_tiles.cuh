// A real row's spectrum whose tiles of 256 have frequencies as far apart as there are tiles.
#pragma once

#include "residue_tiles.cuh"

__device__ __forceinline__ void store_row(const SharedArray& array, const int*, uint4* row, SpectrumScale scale) {
  store_residue(array, 0, row, scale);
}
