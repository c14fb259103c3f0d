// Radix 8 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 8), unscaled, on the general units.
#pragma once

#include "butterfly4.cuh"
#include "half_root.cuh"
#include "packed.cuh"
#include "wide.cuh"

// Even and odd inputs through radix 4, joined by one radix 2; the eighth roots cost additions and a factor.
template <bool inverse, class Value>
__device__ __forceinline__ void butterfly(Value (&re)[8], Value (&im)[8]) {
  Value even_re[4], even_im[4], odd_re[4], odd_im[4];
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    even_re[n] = re[2 * n], even_im[n] = im[2 * n];
    odd_re[n] = re[2 * n + 1], odd_im[n] = im[2 * n + 1];
  }
  butterfly<inverse>(even_re, even_im);
  butterfly<inverse>(odd_re, odd_im);
  // Odd output k times exp(-+i pi k / 4); s stands for the sum, d for the difference of its parts.
  const Value s1 = add(odd_re[1], odd_im[1]), d1 = sub(odd_im[1], odd_re[1]);
  const Value s3 = add(odd_re[3], odd_im[3]), d3 = sub(odd_im[3], odd_re[3]);
  odd_re[1] = inverse ? neg(d1) : s1, odd_im[1] = inverse ? s1 : d1;
  odd_re[3] = inverse ? neg(s3) : d3, odd_im[3] = inverse ? neg(d3) : neg(s3);
  const Value quarter = odd_re[2];
  odd_re[2] = inverse ? neg(odd_im[2]) : odd_im[2], odd_im[2] = inverse ? quarter : neg(quarter);
#pragma unroll
  for (int k = 0; k < 4; k += 2) {
    re[k] = add(even_re[k], odd_re[k]), im[k] = add(even_im[k], odd_im[k]);
    re[4 + k] = sub(even_re[k], odd_re[k]), im[4 + k] = sub(even_im[k], odd_im[k]);
    re[k + 1] = add_half_root(even_re[k + 1], odd_re[k + 1]), im[k + 1] = add_half_root(even_im[k + 1], odd_im[k + 1]);
    re[5 + k] = sub_half_root(even_re[k + 1], odd_re[k + 1]), im[5 + k] = sub_half_root(even_im[k + 1], odd_im[k + 1]);
  }
}

// The same where the upper 4 inputs are padding: even and odd outputs are radix 4 of the rest.
template <bool inverse>
__device__ __forceinline__ void butterfly_padded(Packed (&re)[8], Packed (&im)[8]) {
  constexpr Packed cosine[4] = {0x3c003c00u, 0x39a839a8u, 0x00000000u, 0xb9a8b9a8u};
  constexpr Packed sine[4] = {0x00000000u, 0x39a839a8u, 0x3c003c00u, 0x39a839a8u};
  Packed even_re[4], even_im[4], odd_re[4], odd_im[4];
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    even_re[n] = odd_re[n] = re[n], even_im[n] = odd_im[n] = im[n];
    if (n > 0 && inverse) multiply(odd_re[n], odd_im[n], cosine[n], sine[n]);
    if (n > 0 && !inverse) multiply_conj(odd_re[n], odd_im[n], cosine[n], sine[n]);
  }
  butterfly<inverse>(even_re, even_im);
  butterfly<inverse>(odd_re, odd_im);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    re[2 * k] = even_re[k], im[2 * k] = even_im[k];
    re[2 * k + 1] = odd_re[k], im[2 * k + 1] = odd_im[k];
  }
}
