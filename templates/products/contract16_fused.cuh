// Radix 16 and the pointwise factor behind it in fp32, rounded once: what long transforms need to keep their accuracy.
#pragma once

#include "global.cuh"
#include "mma_acc32.cuh"
#include "tile.cuh"

// A tile of factors in fp32, elements in the order of accumulators.
struct WideTile {
  float re[8], im[8];
};

// From its table: 8 real parts of each lane in two pieces, then 8 imaginary parts.
__device__ __forceinline__ WideTile read_wide_tile(const uint4* from, int lane) {
  const float4* const parts = reinterpret_cast<const float4*>(from) + lane;
  const float4 a = load_constant(parts), b = load_constant(parts + 32), c = load_constant(parts + 64),
               d = load_constant(parts + 96);
  return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, {c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w}};
}

// The same tile in fp16.
__device__ __forceinline__ Tile narrow(const WideTile& f) {
  Tile x;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    x.re[e] = pack(f.re[2 * e], f.re[2 * e + 1]);
    x.im[e] = pack(f.im[2 * e], f.im[2 * e + 1]);
  }
  return x;
}

// Factors element i of column block j.
__device__ __forceinline__ float2 factor_at(const WideTile& f, int j, int i) {
  return {f.re[4 * j + i], f.im[4 * j + i]};
}

__device__ __forceinline__ float2 factor_at(const Tile& f, int j, int i) {
  const int e = 2 * j + i / 2;
  return i % 2 == 0 ? float2{low_half(f.re[e]), low_half(f.im[e])} : float2{high_half(f.re[e]), high_half(f.im[e])};
}

// Column block j of y = accumulators times factor (conjugate: times its conjugate).
template <bool conjugate_factor, class Factor>
__device__ __forceinline__ void multiply_and_unload(Accumulator32& re, Accumulator32& im, const Factor& factor, int j,
                                                    Tile& y) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 f = factor_at(factor, j, i);
    const float s = conjugate_factor ? -f.y : f.y;
    const float real = fmaf(re.value[i], f.x, -(im.value[i] * s));
    im.value[i] = fmaf(re.value[i], s, im.value[i] * f.x);
    re.value[i] = real;
  }
  unload(re, y.re[2 * j], y.re[2 * j + 1]);
  unload(im, y.im[2 * j], y.im[2 * j + 1]);
}

// Role B, as contract_as_b, then the factor in the layout of the result; the inverse takes both conjugate.
template <bool inverse, bool conjugate_factor, class Factor>
__device__ __forceinline__ Tile contract_as_b_times(const Matrix& f, const Tile& x, const Factor& factor) {
  const Packed(&plus)[4] = inverse ? f.minus_im : f.im;
  const Packed(&minus)[4] = inverse ? f.im : f.minus_im;
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator32 re, im;
    mma(re, f.re[0], f.re[1], f.re[2], f.re[3], x.re[j], x.re[2 + j]);
    mma(im, f.re[0], f.re[1], f.re[2], f.re[3], x.im[j], x.im[2 + j]);
    mma(re, minus[0], minus[1], minus[2], minus[3], x.im[j], x.im[2 + j]);
    mma(im, plus[0], plus[1], plus[2], plus[3], x.re[j], x.re[2 + j]);
    multiply_and_unload<conjugate_factor>(re, im, factor, j, y);
  }
  return y;
}

// Role A, as contract_as_a, then the factor in the layout of the result.
template <bool inverse, bool conjugate_factor, class Factor>
__device__ __forceinline__ Tile contract_as_a_times(const MatrixB& f, const Tile& x, const Factor& factor) {
  const Packed(&plus)[4] = inverse ? f.minus_im : f.im;
  const Packed(&minus)[4] = inverse ? f.im : f.minus_im;
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator32 re, im;
    mma(re, x.re[0], x.re[1], x.re[2], x.re[3], f.re[2 * j], f.re[2 * j + 1]);
    mma(im, x.im[0], x.im[1], x.im[2], x.im[3], f.re[2 * j], f.re[2 * j + 1]);
    mma(re, x.im[0], x.im[1], x.im[2], x.im[3], minus[2 * j], minus[2 * j + 1]);
    mma(im, x.re[0], x.re[1], x.re[2], x.re[3], plus[2 * j], plus[2 * j + 1]);
    multiply_and_unload<conjugate_factor>(re, im, factor, j, y);
  }
  return y;
}
