// Sums over the batch of conj(Z) G, in fp32: what the gradient of a filter is made from.
#pragma once

#include "conversions.cuh"
#include "global.cuh"
#include "shared_floats.cuh"
#include "tile.cuh"

// Those of a tile's frequencies: element 2 e + i is value i of register e.
struct Sums {
  float re[8] = {0, 0, 0, 0, 0, 0, 0, 0}, im[8] = {0, 0, 0, 0, 0, 0, 0, 0};
};
constexpr int sums_bytes = 2048;  // of a tile: four times 16 bytes of each lane

// s += conj(z) g
__device__ __forceinline__ void add_product(float& re, float& im, float z_re, float z_im, float g_re, float g_im) {
  re = fmaf(z_re, g_re, fmaf(z_im, g_im, re));
  im = fmaf(z_re, g_im, fmaf(-z_im, g_re, im));
}

__device__ __forceinline__ void add_product(Sums& s, const Tile& z, const Tile& g) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    add_product(s.re[2 * e], s.im[2 * e], low_half(z.re[e]), low_half(z.im[e]), low_half(g.re[e]), low_half(g.im[e]));
    add_product(s.re[2 * e + 1], s.im[2 * e + 1], high_half(z.re[e]), high_half(z.im[e]), high_half(g.re[e]),
                high_half(g.im[e]));
  }
}

__device__ __forceinline__ void add(Sums& s, const Sums& other) {
#pragma unroll
  for (int i = 0; i < 8; ++i) s.re[i] += other.re[i], s.im[i] += other.im[i];
}

// A lane's sums of a tile in global memory.
__device__ __forceinline__ Sums load_sums(const float4* from, int lane) {
  const float4 a = load_global(from + lane), b = load_global(from + 32 + lane);
  const float4 c = load_global(from + 64 + lane), d = load_global(from + 96 + lane);
  return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, {c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w}};
}

__device__ __forceinline__ void store_sums(float4* to, int lane, const Sums& s) {
  store_global(to + lane, float4{s.re[0], s.re[1], s.re[2], s.re[3]});
  store_global(to + 32 + lane, float4{s.re[4], s.re[5], s.re[6], s.re[7]});
  store_global(to + 64 + lane, float4{s.im[0], s.im[1], s.im[2], s.im[3]});
  store_global(to + 96 + lane, float4{s.im[4], s.im[5], s.im[6], s.im[7]});
}

// The same in shared memory.
__device__ __forceinline__ Sums load_sums(SharedAddress from, int lane) {
  const float4 a = load_floats(from + 16 * lane), b = load_floats(from + 512 + 16 * lane);
  const float4 c = load_floats(from + 1024 + 16 * lane), d = load_floats(from + 1536 + 16 * lane);
  return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, {c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w}};
}

__device__ __forceinline__ void store_sums(SharedAddress to, int lane, const Sums& s) {
  store_floats(to + 16 * lane, s.re[0], s.re[1], s.re[2], s.re[3]);
  store_floats(to + 512 + 16 * lane, s.re[4], s.re[5], s.re[6], s.re[7]);
  store_floats(to + 1024 + 16 * lane, s.im[0], s.im[1], s.im[2], s.im[3]);
  store_floats(to + 1536 + 16 * lane, s.im[4], s.im[5], s.im[6], s.im[7]);
}
