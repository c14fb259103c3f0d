// A butterfly over the index of an array of tiles, register by register.
#pragma once

#include "butterfly.cuh"
#include "tile.cuh"

template <bool inverse, class AnyTile, int radix>
__device__ __forceinline__ void butterfly_tiles(AnyTile (&x)[radix]) {
  constexpr int registers = sizeof(x[0].re) / sizeof(Packed);
#pragma unroll
  for (int e = 0; e < registers; ++e) {
    Packed re[radix], im[radix];
#pragma unroll
    for (int n = 0; n < radix; ++n) re[n] = x[n].re[e], im[n] = x[n].im[e];
    butterfly<inverse>(re, im);
#pragma unroll
    for (int n = 0; n < radix; ++n) x[n].re[e] = re[n], x[n].im[e] = im[n];
  }
}
