// Sums over the batch of conj(Z) G in fp32, in global memory. One thread alone adds to each, so that their order is
// that of its pairs.
#pragma once

#include "conversions.cuh"
#include "global.cuh"
#include "memory_adds.cuh"
#include "tile.cuh"

constexpr int sums_bytes = 2048;  // of a tile: four times 16 bytes of each lane, two of real parts first

// conj(z) g of a half of a tile's frequencies.
struct Products {
  float re[4], im[4];

  __device__ __forceinline__ Products(const Tile& z, const Tile& g, int half) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int e = 2 * half + h;
      const float2 z_re = {low_half(z.re[e]), high_half(z.re[e])}, z_im = {low_half(z.im[e]), high_half(z.im[e])};
      const float2 g_re = {low_half(g.re[e]), high_half(g.re[e])}, g_im = {low_half(g.im[e]), high_half(g.im[e])};
      re[2 * h] = fmaf(z_re.x, g_re.x, z_im.x * g_im.x), re[2 * h + 1] = fmaf(z_re.y, g_re.y, z_im.y * g_im.y);
      im[2 * h] = fmaf(z_re.x, g_im.x, -(z_im.x * g_re.x)), im[2 * h + 1] = fmaf(z_re.y, g_im.y, -(z_im.y * g_re.y));
    }
  }

  // They are the first of their sums, or join others.
  __device__ __forceinline__ void put(float4* to, bool joins) const {
    const float4 real = {re[0], re[1], re[2], re[3]}, imaginary = {im[0], im[1], im[2], im[3]};
    if (joins) {
      add_to_sums(to, real);
      add_to_sums(to + 64, imaginary);
    } else {
      store_global(to, real);
      store_global(to + 64, imaginary);
    }
  }
};

__device__ __forceinline__ void add_product(float4* sums, int lane, bool joins, const Tile& z, const Tile& g) {
#pragma unroll
  for (int half = 0; half < 2; ++half) Products(z, g, half).put(sums + 32 * half + lane, joins);
}

// The same of rows that have powers of two of their own, which `scale` brings back.
__device__ __forceinline__ void add_scaled_product(float4* sums, int lane, bool joins, float scale, const Tile& z,
                                                   const Tile& g) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    Products products(z, g, half);
#pragma unroll
    for (int i = 0; i < 4; ++i) products.re[i] *= scale, products.im[i] *= scale;
    products.put(sums + 32 * half + lane, joins);
  }
}
