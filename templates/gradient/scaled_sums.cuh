// Sums of rows that have powers of two of their own, pair by pair.
#pragma once

#include "found_scales.cuh"
#include "scale_of_products.cuh"
#include "sums.cuh"

// What brings conj(Z) G back to the rows as they came.
__device__ __forceinline__ float product_scale(const FoundScales& found) {
  return scale_of_products(found.out[0], found.out[1]);
}

__device__ __forceinline__ void add_product(Sums& s, const Tile& z, const Tile& g, float scale) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    add_product(s.re[2 * e], s.im[2 * e], low_half(z.re[e]), low_half(z.im[e]), scale * low_half(g.re[e]),
                scale * low_half(g.im[e]));
    add_product(s.re[2 * e + 1], s.im[2 * e + 1], high_half(z.re[e]), high_half(z.im[e]), scale * high_half(g.re[e]),
                scale * high_half(g.im[e]));
  }
}
