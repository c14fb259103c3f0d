// The sums of a channel's products in the place of u's frequencies, with the last pair's.
#pragma once

#include "row_sums.cuh"

// The power of two keeps fp16's range. `scale` is that of add_scaled_product.
__device__ __forceinline__ Tile returned_sums(const RowSums& sums, int row, int lane, float scale, float power,
                                              const Tile& z, const Tile& g) {
  Tile x;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    Products products(z, g, half);
    products.multiply(scale);
    products.take(sums, row * (sums_bytes / 16) + 32 * half + lane);
    products.multiply(power);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      x.re[2 * half + h] = pack(products.re[2 * h], products.re[2 * h + 1]);
      x.im[2 * half + h] = pack(products.im[2 * h], products.im[2 * h + 1]);
    }
  }
  return x;
}
