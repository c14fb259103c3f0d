// Passes of a mixed-radix Fourier transform in float32, from one array in global memory to another (Stockham's order).
//
// With n = j + (length / radix) p and `done` the product of the radices before, a pass joins transforms of length
// `done` to transforms of length radix * done; after the last one the frequencies stand in natural order.
// `roots` gives exp(-2 pi i exponent / length) for 0 <= exponent < length.
#pragma once

#include "global.cuh"
#include "share.cuh"

// a * b + c
__device__ __forceinline__ float2 multiply_add(float2 a, float2 b, float2 c) {
  return {fmaf(a.x, b.x, fmaf(-a.y, b.y, c.x)), fmaf(a.x, b.y, fmaf(a.y, b.x, c.y))};
}

// Each thread computes the outputs of whole butterflies from values in registers: for small radices.
template <int length, int radix, int done, class Roots>
__device__ __forceinline__ void pass_in_registers(const float2* from, float2* to, Roots roots, Share share) {
  static_assert(length % (radix * done) == 0, "radices must divide the length");
  float2 root[radix];
#pragma unroll
  for (int i = 1; i < radix; ++i) root[i] = roots(i * (length / radix));
  for (int j = share.first; j < length / radix; j += share.step) {
    const int k = j % done;  // frequency of the shorter transforms
    float2 x[radix];
    x[0] = load_global(from + j);
#pragma unroll
    for (int p = 1; p < radix; ++p) {
      const float2 twiddle = roots(p * k * (length / (radix * done)));
      x[p] = multiply_add(load_global(from + j + p * (length / radix)), twiddle, {0.0f, 0.0f});
    }
    float2* const out = to + (j - k) * radix + k;
#pragma unroll
    for (int q = 0; q < radix; ++q) {
      float2 sum = x[0];
#pragma unroll
      for (int p = 1; p < radix; ++p)
        sum = p * q % radix == 0 ? make_float2(sum.x + x[p].x, sum.y + x[p].y)
                                 : multiply_add(x[p], root[p * q % radix], sum);
      store_global(out + q * done, sum);
    }
  }
}

// Each thread computes single outputs, rolled up: for radices that would fill the registers.
template <int length, int radix, int done, class Roots>
__device__ __forceinline__ void pass_by_output(const float2* from, float2* to, Roots roots, Share share) {
  static_assert(length % (radix * done) == 0, "radices must divide the length");
  for (int output = share.first; output < length; output += share.step) {
    const int k = output % (radix * done);  // frequency of the longer transforms
    const int j = output / (radix * done) * done + output % done;
    float2 sum = load_global(from + j);
    int exponent = 0;
    for (int p = 1; p < radix; ++p) {
      exponent += k * (length / (radix * done));
      if (exponent >= length) exponent -= length;
      sum = multiply_add(load_global(from + j + p * (length / radix)), roots(exponent), sum);
    }
    store_global(to + output, sum);
  }
}
