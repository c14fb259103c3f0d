// Tiles that wait in global memory for the lane that left them there.
#pragma once

#include "global.cuh"
#include "tile.cuh"

__device__ __forceinline__ void park_tile(uint4* to, int lane, const Tile& x) {
  store_global(to + lane, make_uint4(x.re[0], x.re[1], x.re[2], x.re[3]));
  store_global(to + 32 + lane, make_uint4(x.im[0], x.im[1], x.im[2], x.im[3]));
}

__device__ __forceinline__ Tile parked_tile(const uint4* from, int lane) {
  return make_tile(load_global(from + lane), load_global(from + 32 + lane));
}
