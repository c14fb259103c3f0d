// Of a column at frequencies k + 1/4 of it, real parts. With those, a transform of P points is one modulo x^P = -i:
// what comes behind the P samples of a convolution turns imaginary, so that real parts are all there is on the way in,
// and all that is wanted on the way back.
#pragma once

#include "contract_columns.cuh"

// The address of this lane's row in the real part of tile b: re of Columns are those of one chunk, im those of the
// next.
__device__ __forceinline__ SharedAddress narrow_columns_at(SharedAddress tile, int b, int chunk, int lane) {
  return chunk_at(tile, 0, 16 * b + lane % 16, chunk + lane / 16);
}

// Those of chunk + j: the first eight rows, the others.
__device__ __forceinline__ Packed& narrow_part(Columns& x, int j, int i) { return j == 0 ? x.re[i] : x.im[i]; }
