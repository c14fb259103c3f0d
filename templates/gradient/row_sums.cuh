// Sums over the batch of conj(Z) G in fp32. One thread alone adds to each, so that their order is that of its pairs.
//
// Those of a block's first rows of frequencies are in shared memory until the last pair has joined them, where a group
// has one channel and slice at a time, and leave zeros there; the others grow in global memory.
#pragma once

#include "conversions.cuh"
#include "global.cuh"
#include "memory_adds.cuh"
#include "shared_floats.cuh"
#include "tile.cuh"

constexpr int sums_bytes = 2048;  // of a tile: four times 16 bytes of each lane, two of real parts first
//[[row_sums
constexpr int row_sums_bytes = 2 * sums_bytes;
//]]

// Where a row's sums are, and which of its pairs this is.
struct RowSums {
  float4* of_all_rows;
  int number;          // of this one among those
  SharedAddress held;  // 0: they are not
  bool first, last;

  __device__ __forceinline__ float4* in_memory(int at) const {
    return of_all_rows + 1LL * number * (row_sums_bytes / 16) + at;
  }
};

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

  __device__ __forceinline__ void multiply(float scale) {
#pragma unroll
    for (int i = 0; i < 4; ++i) re[i] *= scale, im[i] *= scale;
  }

  // They join the sums of the pairs before; `at` counts 16 bytes.
  __device__ __forceinline__ void put(const RowSums& sums, int at) {
    if (sums.held != 0) {
      add_held(sums.held + 16 * at);
      sums.last ? put_in_memory(sums.in_memory(at)) : put_held(sums.held + 16 * at);
      if (sums.last) clear(sums.held + 16 * at);
    } else if (sums.first) {
      put_in_memory(sums.in_memory(at));
    } else {
      add_to_sums(sums.in_memory(at), float4{re[0], re[1], re[2], re[3]});
      add_to_sums(sums.in_memory(at) + 64, float4{im[0], im[1], im[2], im[3]});
    }
  }

  // Those join these, and are gone.
  __device__ __forceinline__ void take(const RowSums& sums, int at) {
    if (sums.held != 0) {
      add_held(sums.held + 16 * at);
      clear(sums.held + 16 * at);
    } else if (!sums.first) {
      add(load_global(sums.in_memory(at)), load_global(sums.in_memory(at) + 64));
    }
  }

 private:
  __device__ __forceinline__ void add(const float4& real, const float4& imaginary) {
    re[0] += real.x, re[1] += real.y, re[2] += real.z, re[3] += real.w;
    im[0] += imaginary.x, im[1] += imaginary.y, im[2] += imaginary.z, im[3] += imaginary.w;
  }
  __device__ __forceinline__ void add_held(SharedAddress from) {
    add(load_floats(from), load_floats(from + sums_bytes / 2));
  }
  __device__ __forceinline__ void put_held(SharedAddress to) const {
    store_floats(to, re[0], re[1], re[2], re[3]);
    store_floats(to + sums_bytes / 2, im[0], im[1], im[2], im[3]);
  }
  __device__ __forceinline__ static void clear(SharedAddress to) {
    store_floats(to, 0, 0, 0, 0);
    store_floats(to + sums_bytes / 2, 0, 0, 0, 0);
  }
  __device__ __forceinline__ void put_in_memory(float4* to) const {
    store_global(to, float4{re[0], re[1], re[2], re[3]});
    store_global(to + 64, float4{im[0], im[1], im[2], im[3]});
  }
};

__device__ __forceinline__ void add_product(const RowSums& sums, int row, int lane, const Tile& z, const Tile& g) {
#pragma unroll
  for (int half = 0; half < 2; ++half) Products(z, g, half).put(sums, row * (sums_bytes / 16) + 32 * half + lane);
}

// The same of rows that have powers of two of their own, which `scale` brings back.
__device__ __forceinline__ void add_scaled_product(const RowSums& sums, int row, int lane, float scale, const Tile& z,
                                                   const Tile& g) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    Products products(z, g, half);
    products.multiply(scale);
    products.put(sums, row * (sums_bytes / 16) + 32 * half + lane);
  }
}
