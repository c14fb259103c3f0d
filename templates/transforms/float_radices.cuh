// Short Fourier transforms in float32 on registers for every radix that passes take, exp(-2 pi i / radix) forward.
#pragma once

#include "float_butterflies.cuh"
#include "unit_root.cuh"

// 4 x 4: sums over numbers 4 apart, the roots between, sums over what is left.
__device__ __forceinline__ void butterfly16(float2 (&x)[16]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    butterfly4(x[i], x[i + 4], x[i + 8], x[i + 12]);
#pragma unroll
    for (int q = 1; q < 4; ++q)
      if (i > 0) x[i + 4 * q] = multiply(x[i + 4 * q], unit_root<16>(i * q));
  }
  float2 y[16];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    butterfly4(x[4 * q], x[4 * q + 1], x[4 * q + 2], x[4 * q + 3]);
#pragma unroll
    for (int s = 0; s < 4; ++s) y[q + 4 * s] = x[4 * q + s];
  }
#pragma unroll
  for (int q = 0; q < 16; ++q) x[q] = y[q];
}

// An odd radix: numbers p and radix - p meet as their sum, with cosines, and their difference, with sines.
template <int radix>
__device__ __forceinline__ void odd_butterfly(float2 (&x)[radix]) {
  static_assert(radix % 2 == 1, "every number but the first has another one for its mirror");
  constexpr int pairs = radix / 2;
  const float2 first = x[0];
  float2 sums[pairs], differences[pairs];
#pragma unroll
  for (int p = 1; p <= pairs; ++p) {
    sums[p - 1] = add(x[p], x[radix - p]), differences[p - 1] = sub(x[p], x[radix - p]);
    x[0] = add(x[0], sums[p - 1]);
  }
#pragma unroll
  for (int q = 1; q <= pairs; ++q) {
    float2 even = first, odd = {0.0f, 0.0f};
#pragma unroll
    for (int p = 1; p <= pairs; ++p) {
      const float2 root = unit_root<radix>(p * q % radix);
      even = {fmaf(root.x, sums[p - 1].x, even.x), fmaf(root.x, sums[p - 1].y, even.y)};
      odd = {fmaf(root.y, differences[p - 1].x, odd.x), fmaf(root.y, differences[p - 1].y, odd.y)};
    }
    x[q] = {even.x - odd.y, even.y + odd.x};
    x[radix - q] = {even.x + odd.y, even.y - odd.x};
  }
}

template <int radix>
__device__ __forceinline__ void butterfly(float2 (&x)[radix]) {
  if constexpr (radix == 2)
    butterfly2(x[0], x[1]);
  else if constexpr (radix == 4)
    butterfly4(x[0], x[1], x[2], x[3]);
  else if constexpr (radix == 8)
    butterfly8(x);
  else if constexpr (radix == 16)
    butterfly16(x);
  else
    odd_butterfly(x);
}
