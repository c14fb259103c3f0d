// Radix 5 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 5), unscaled, on the general units.
#pragma once

#include "packed.cuh"

// Outputs k and 5 - k share their sums and differences of inputs j and 5 - j.
template <bool inverse>
__device__ __forceinline__ void butterfly(Packed (&re)[5], Packed (&im)[5]) {
  constexpr Packed cosine[5] = {0x3c003c00u, 0x34f234f2u, 0xba79ba79u, 0xba79ba79u, 0x34f234f2u};
  constexpr Packed sine[5] = {0x00000000u, 0x3b9c3b9cu, 0x38b438b4u, 0xb8b4b8b4u, 0xbb9cbb9cu};
  Packed sum_re[2], sum_im[2], difference_re[2], difference_im[2];
  Packed total_re = re[0], total_im = im[0];
#pragma unroll
  for (int j = 1; j <= 2; ++j) {
    sum_re[j - 1] = add(re[j], re[5 - j]), sum_im[j - 1] = add(im[j], im[5 - j]);
    difference_re[j - 1] = sub(re[j], re[5 - j]), difference_im[j - 1] = sub(im[j], im[5 - j]);
    total_re = add(total_re, sum_re[j - 1]), total_im = add(total_im, sum_im[j - 1]);
  }
#pragma unroll
  for (int k = 1; k <= 2; ++k) {
    Packed even_re = re[0], even_im = im[0];
    Packed odd_re = mul(difference_im[0], sine[k]), odd_im = mul(difference_re[0], sine[k]);
#pragma unroll
    for (int j = 1; j <= 2; ++j) {
      even_re = fma(sum_re[j - 1], cosine[j * k % 5], even_re);
      even_im = fma(sum_im[j - 1], cosine[j * k % 5], even_im);
      if (j > 1) {
        odd_re = fma(difference_im[j - 1], sine[j * k % 5], odd_re);
        odd_im = fma(difference_re[j - 1], sine[j * k % 5], odd_im);
      }
    }
    const int plus = inverse ? 5 - k : k;
    re[plus] = add(even_re, odd_re), im[plus] = sub(even_im, odd_im);
    re[5 - plus] = sub(even_re, odd_re), im[5 - plus] = add(even_im, odd_im);
  }
  re[0] = total_re, im[0] = total_im;
}
