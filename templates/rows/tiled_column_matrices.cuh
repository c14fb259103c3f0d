// Matrices of the column stages that carry the twiddle to the butterfly digit, from shared memory.
#pragma once

#include "shared_tile.cuh"
#include "tile.cuh"

__device__ __forceinline__ MatrixB load_matrix_b(SharedAddress from, int lane) {
  return make_matrix_b(load_shared(from + 16 * lane), load_shared(from + 512 + 16 * lane));
}
