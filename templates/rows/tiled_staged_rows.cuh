// A tile whose planes lie apart: one row of the pair was copied in ahead, into a stage of its own.
#pragma once

#include "shared_tile.cuh"
#include "tile.cuh"

__device__ __forceinline__ Tile load_rows_apart(SharedAddress re_from, SharedAddress im_from) {
  Tile x;
  load_blocks_transposed(re_from, x.re[0], x.re[1], x.re[2], x.re[3]);
  load_blocks_transposed(im_from, x.im[0], x.im[1], x.im[2], x.im[3]);
  return x;
}
