// A tile in shared memory, as load_tile reads it.
#pragma once

#include "shared_words.cuh"
#include "tile.cuh"

__device__ __forceinline__ void store_tile(SharedAddress to, int lane, const Tile& x) {
  store_shared(to + 16 * lane, make_uint4(x.re[0], x.re[1], x.re[2], x.re[3]));
  store_shared(to + tile_bytes / 2 + 16 * lane, make_uint4(x.im[0], x.im[1], x.im[2], x.im[3]));
}
