// Of a column whose upper half is padding, 8 of 16 rows: 8 live inputs on the way in, 8 wanted outputs on the way back.
#pragma once

#include "contract_columns.cuh"

// The address of this lane's row in the lower half of tile b: re[j] and im[j] of Columns are those of chunk + j.
__device__ __forceinline__ SharedAddress narrow_columns_at(SharedAddress tile, int b, int chunk, int lane) {
  return chunk_at(tile, lane / 16, 16 * b + lane % 8, chunk + lane / 8 % 2);
}

// Those of chunk + j: real parts, imaginary parts.
__device__ __forceinline__ Packed& narrow_part(Columns& x, int j, int i) { return i == 0 ? x.re[j] : x.im[j]; }
