// Radix 16 where a mask keeps 8 of a digit's 16 frequencies: products with them alone, there and back.
//
// Half a tile holds either 16 rows and 8 columns, as it is declared, or 8 rows and 16 columns: registers re[j], im[j]
// are then row lane/4, columns 8 j + 2 (lane%4) and + 1.
#pragma once

#include "accumulator.cuh"
#include "global.cuh"
#include "half_tile.cuh"
#include "shared_words.cuh"
#include "tile.cuh"

__device__ __forceinline__ HalfTile make_half_tile(const uint4& both) { return {{both.x, both.y}, {both.z, both.w}}; }

// The half tile at `from` of a table or a spectrum: 16 bytes a lane.
__device__ __forceinline__ HalfTile read_half_tile(const uint4* from, int lane) {
  return make_half_tile(load_constant(from + lane));
}

__device__ __forceinline__ HalfTile load_half_tile(SharedAddress from, int lane) {
  return make_half_tile(load_shared(from + 16 * lane));
}

__device__ __forceinline__ void multiply(HalfTile& x, const HalfTile& factor) {
#pragma unroll
  for (int e = 0; e < 2; ++e) multiply(x.re[e], x.im[e], factor.re[e], factor.im[e]);
}

__device__ __forceinline__ void multiply_conj(HalfTile& x, const HalfTile& factor) {
#pragma unroll
  for (int e = 0; e < 2; ++e) multiply_conj(x.re[e], x.im[e], factor.re[e], factor.im[e]);
}
