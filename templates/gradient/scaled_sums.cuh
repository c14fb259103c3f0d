// Sums of rows that have powers of two of their own, pair by pair.
#pragma once

#include "found_scales.cuh"
#include "sums.cuh"

// What brings conj(Z) G back to the rows as they came. A product that leaves the range of float is that of results that
// do; zeros times it stay zeros.
__device__ __forceinline__ float product_scale(const FoundScales& found) {
  constexpr float largest = 0x1p127f;
  const float product = found.out[0] * found.out[1];
  return product < largest ? product : largest;
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
