// The numbers of a row's order where neighbouring tiles of 256 have neighbouring frequencies.
#pragma once

#include "tile_order.cuh"

//[[order_constants
constexpr int order_apart = 1;
constexpr int order_step = 1;
constexpr int order_first = 0;
//]]

// Eight of them, from element 8 * chunk of a tile on.
__device__ __forceinline__ void order_of_eight(const int*, int of_tile, int chunk, int (&numbers)[8]) {
  const int first = inner_of(8 * chunk) * order_apart + of_tile;
#pragma unroll
  for (int i = 0; i < 8; ++i) numbers[i] = order_step * (first + inner_of(i) * order_apart) + order_first;
}
