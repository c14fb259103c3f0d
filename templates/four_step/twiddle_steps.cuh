// Twiddles of a warp's rows, where there is no room for all of a block: that of its first row times those of the steps
// from there, which all warps share. A product of two rounded factors would round twice more than a table: the first
// one is kept as a sum of two, and of a step what it differs from 1, which is small.
#pragma once

#include "split_twiddle.cuh"

// The sum of two tiles: what they stand for, rounded, and what rounding left.
struct FineTile {
  Tile rounded, rest;
};

__device__ __forceinline__ void round_finely(Packed& rounded, Packed& rest, float low, float high) {
  rounded = pack(low, high);
  rest = pack(low - low_half(rounded), high - high_half(rounded));
}

// split_twiddle, finely.
__device__ __forceinline__ FineTile fine_twiddle(int frequency, int lane) {
  FineTile twiddle;
  each_split_root(frequency, lane, [&](int e, float2 low, float2 high) {
    round_finely(twiddle.rounded.re[e], twiddle.rest.re[e], low.x, high.x);
    round_finely(twiddle.rounded.im[e], twiddle.rest.im[e], low.y, high.y);
  });
  return twiddle;
}

// split_twiddle less 1.
__device__ __forceinline__ Tile twiddle_step(int frequency, int lane) {
  Tile step;
  each_split_root(frequency, lane, [&](int e, float2 low, float2 high) {
    step.re[e] = pack(low.x - 1.0f, high.x - 1.0f), step.im[e] = pack(low.y, high.y);
  });
  return step;
}

// The twiddle a step away from `first`.
__device__ __forceinline__ Tile stepped(const FineTile& first, const Tile& step) {
  Tile twiddle;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const Packed re = first.rounded.re[e], im = first.rounded.im[e];
    twiddle.re[e] = add(re, fma(re, step.re[e], fma(neg(im), step.im[e], first.rest.re[e])));
    twiddle.im[e] = add(im, fma(re, step.im[e], fma(im, step.re[e], first.rest.im[e])));
  }
  return twiddle;
}
