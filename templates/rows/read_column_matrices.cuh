// Matrices of the column stages that carry the twiddle to the butterfly digit, from global memory: the L1 cache has
// room for them where shared memory has not.
#pragma once

#include "global.cuh"
#include "tile.cuh"

__device__ __forceinline__ MatrixB read_matrix_b(const uint4* from, int lane) {
  return make_matrix_b(load_constant(from + lane), load_constant(from + 32 + lane));
}
