// Radix 32 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 32), unscaled, on the general units.
#pragma once

#include "butterfly16.cuh"
#include "butterfly_join.cuh"

template <bool inverse>
__device__ __forceinline__ void butterfly(Packed (&re)[32], Packed (&im)[32]) {
  constexpr Packed cosine[16] = {  // of 2 pi k / 32
      0x3c003c00u, 0x3bd93bd9u, 0x3b643b64u, 0x3aa73aa7u, 0x39a839a8u, 0x38723872u, 0x361f361fu, 0x323e323eu,
      0x00000000u, 0xb23eb23eu, 0xb61fb61fu, 0xb872b872u, 0xb9a8b9a8u, 0xbaa7baa7u, 0xbb64bb64u, 0xbbd9bbd9u};
  constexpr Packed sine[16] = {
      0x00000000u, 0x323e323eu, 0x361f361fu, 0x38723872u, 0x39a839a8u, 0x3aa73aa7u, 0x3b643b64u, 0x3bd93bd9u,
      0x3c003c00u, 0x3bd93bd9u, 0x3b643b64u, 0x3aa73aa7u, 0x39a839a8u, 0x38723872u, 0x361f361fu, 0x323e323eu};
  Packed even_re[16], even_im[16], odd_re[16], odd_im[16];
#pragma unroll
  for (int n = 0; n < 16; ++n) {
    even_re[n] = re[2 * n], even_im[n] = im[2 * n];
    odd_re[n] = re[2 * n + 1], odd_im[n] = im[2 * n + 1];
  }
  butterfly<inverse>(even_re, even_im);
  butterfly<inverse>(odd_re, odd_im);
  join_halves<inverse, 32>(even_re, even_im, odd_re, odd_im, cosine, sine, re, im);
}
