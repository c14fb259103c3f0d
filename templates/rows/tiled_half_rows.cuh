// Half tiles from and to the rows of a pair: the lane address already names the plane, so one access moves both.
#pragma once

#include "half_tile.cuh"
#include "shared_tile.cuh"

__device__ __forceinline__ HalfTile load_half_rows(SharedAddress from) {
  HalfTile x;
  load_blocks_transposed(from, x.re[0], x.re[1], x.im[0], x.im[1]);
  return x;
}

__device__ __forceinline__ void store_half_rows(SharedAddress to, const HalfTile& x) {
  store_blocks(to, x.re[0], x.re[1], x.im[0], x.im[1]);
}

// The same with lane addresses of their own, of both parts of the first chunk and then of the second: so role B leaves
// them in registers side by side.
__device__ __forceinline__ void store_products(SharedAddress to, const HalfTile& x) {
  store_blocks(to, x.re[0], x.im[0], x.re[1], x.im[1]);
}

__device__ __forceinline__ void store_half_rows_transposed(SharedAddress to, const HalfTile& x) {
  store_blocks_transposed(to, x.re[0], x.re[1], x.im[0], x.im[1]);
}
