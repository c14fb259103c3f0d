// The butterfly of a row alone, register by register: from tiles of its samples to tiles of frequencies, and back.
#pragma once

#include "tiled_real_rows.cuh"
#include "turned_butterfly.cuh"

template <int radix>
__device__ __forceinline__ void turned_butterfly_tiles(const RealTile (&samples)[radix], Tile (&x)[radix]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    Packed values[radix], re[radix], im[radix];
#pragma unroll
    for (int a = 0; a < radix; ++a) values[a] = samples[a].re[e];
    turned_butterfly(values, re, im);
#pragma unroll
    for (int k = 0; k < radix; ++k) x[k].re[e] = re[k], x[k].im[e] = im[k];
  }
}

template <int radix>
__device__ __forceinline__ void turned_butterfly_tiles_back(const Tile (&x)[radix], RealTile (&samples)[radix]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    Packed values[radix], re[radix], im[radix];
#pragma unroll
    for (int k = 0; k < radix; ++k) re[k] = x[k].re[e], im[k] = x[k].im[e];
    turned_butterfly_back(re, im, values);
#pragma unroll
    for (int a = 0; a < radix; ++a) samples[a].re[e] = values[a];
  }
}
