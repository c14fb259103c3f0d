// Radix 7 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 7), unscaled, on the general units.
#pragma once

#include "packed.cuh"

// Outputs k and 7 - k share their sums and differences of inputs j and 7 - j.
template <bool inverse>
__device__ __forceinline__ void butterfly(Packed (&re)[7], Packed (&im)[7]) {
  constexpr Packed cosine[7] = {0x3c003c00u, 0x38fd38fdu, 0xb31fb31fu, 0xbb35bb35u,
                                0xbb35bb35u, 0xb31fb31fu, 0x38fd38fdu};
  constexpr Packed sine[7] = {0x00000000u, 0x3a413a41u, 0x3bcd3bcdu, 0x36f136f1u,
                              0xb6f1b6f1u, 0xbbcdbbcdu, 0xba41ba41u};
  Packed sum_re[3], sum_im[3], difference_re[3], difference_im[3];
  Packed total_re = re[0], total_im = im[0];
#pragma unroll
  for (int j = 1; j <= 3; ++j) {
    sum_re[j - 1] = add(re[j], re[7 - j]), sum_im[j - 1] = add(im[j], im[7 - j]);
    difference_re[j - 1] = sub(re[j], re[7 - j]), difference_im[j - 1] = sub(im[j], im[7 - j]);
    total_re = add(total_re, sum_re[j - 1]), total_im = add(total_im, sum_im[j - 1]);
  }
#pragma unroll
  for (int k = 1; k <= 3; ++k) {
    Packed even_re = re[0], even_im = im[0];
    Packed odd_re = mul(difference_im[0], sine[k]), odd_im = mul(difference_re[0], sine[k]);
#pragma unroll
    for (int j = 1; j <= 3; ++j) {
      even_re = fma(sum_re[j - 1], cosine[j * k % 7], even_re);
      even_im = fma(sum_im[j - 1], cosine[j * k % 7], even_im);
      if (j > 1) {
        odd_re = fma(difference_im[j - 1], sine[j * k % 7], odd_re);
        odd_im = fma(difference_re[j - 1], sine[j * k % 7], odd_im);
      }
    }
    const int plus = inverse ? 7 - k : k;
    re[plus] = add(even_re, odd_re), im[plus] = sub(even_im, odd_im);
    re[7 - plus] = sub(even_re, odd_re), im[7 - plus] = add(even_im, odd_im);
  }
  re[0] = total_re, im[0] = total_im;
}
