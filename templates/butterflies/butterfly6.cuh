// Radix 6 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 6), unscaled, on the general units.
#pragma once

#include "butterfly3.cuh"
#include "packed.cuh"

// Even and odd inputs through radix 3, joined by one radix 2.
template <bool inverse>
__device__ __forceinline__ void butterfly(Packed (&re)[6], Packed (&im)[6]) {
  constexpr Packed cosine[3] = {0x3c003c00u, 0x38003800u, 0xb800b800u};
  constexpr Packed sine[3] = {0x00000000u, 0x3aee3aeeu, 0x3aee3aeeu};
  Packed even_re[3], even_im[3], odd_re[3], odd_im[3];
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    even_re[n] = re[2 * n], even_im[n] = im[2 * n];
    odd_re[n] = re[2 * n + 1], odd_im[n] = im[2 * n + 1];
  }
  butterfly<inverse>(even_re, even_im);
  butterfly<inverse>(odd_re, odd_im);
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    if (k > 0 && inverse) multiply(odd_re[k], odd_im[k], cosine[k], sine[k]);
    if (k > 0 && !inverse) multiply_conj(odd_re[k], odd_im[k], cosine[k], sine[k]);
    re[k] = add(even_re[k], odd_re[k]), im[k] = add(even_im[k], odd_im[k]);
    re[3 + k] = sub(even_re[k], odd_re[k]), im[3 + k] = sub(even_im[k], odd_im[k]);
  }
}

// The same where the upper 3 inputs are padding: even and odd outputs are radix 3 of the rest.
template <bool inverse>
__device__ __forceinline__ void butterfly_padded(Packed (&re)[6], Packed (&im)[6]) {
  constexpr Packed cosine[3] = {0x3c003c00u, 0x38003800u, 0xb800b800u};
  constexpr Packed sine[3] = {0x00000000u, 0x3aee3aeeu, 0x3aee3aeeu};
  Packed even_re[3], even_im[3], odd_re[3], odd_im[3];
#pragma unroll
  for (int n = 0; n < 3; ++n) {
    even_re[n] = odd_re[n] = re[n], even_im[n] = odd_im[n] = im[n];
    if (n > 0 && inverse) multiply(odd_re[n], odd_im[n], cosine[n], sine[n]);
    if (n > 0 && !inverse) multiply_conj(odd_re[n], odd_im[n], cosine[n], sine[n]);
  }
  butterfly<inverse>(even_re, even_im);
  butterfly<inverse>(odd_re, odd_im);
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    re[2 * k] = even_re[k], im[2 * k] = even_im[k];
    re[2 * k + 1] = odd_re[k], im[2 * k + 1] = odd_im[k];
  }
}
