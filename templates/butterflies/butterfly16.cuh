// Radix 16 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 16), unscaled, on the general units.
#pragma once

#include "butterfly8.cuh"
#include "butterfly_join.cuh"

template <bool inverse>
__device__ __forceinline__ void butterfly(Packed (&re)[16], Packed (&im)[16]) {
  constexpr Packed cosine[8] = {
      // of 2 pi k / 16
      0x3c003c00u, 0x3b643b64u, 0x39a839a8u, 0x361f361fu, 0x00000000u, 0xb61fb61fu, 0xb9a8b9a8u, 0xbb64bb64u};
  constexpr Packed sine[8] = {0x00000000u, 0x361f361fu, 0x39a839a8u, 0x3b643b64u,
                              0x3c003c00u, 0x3b643b64u, 0x39a839a8u, 0x361f361fu};
  Packed even_re[8], even_im[8], odd_re[8], odd_im[8];
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    even_re[n] = re[2 * n], even_im[n] = im[2 * n];
    odd_re[n] = re[2 * n + 1], odd_im[n] = im[2 * n + 1];
  }
  butterfly<inverse>(even_re, even_im);
  butterfly<inverse>(odd_re, odd_im);
  join_halves<inverse, 16>(even_re, even_im, odd_re, odd_im, cosine, sine, re, im);
}
