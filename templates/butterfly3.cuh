// Radix 3 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 3), unscaled, on the general units.
#pragma once

#include "packed.cuh"

// Outputs k and 3 - k share their sums and differences of inputs j and 3 - j.
template <bool inverse>
__device__ __forceinline__ void butterfly(Packed (&re)[3], Packed (&im)[3]) {
  constexpr Packed cosine[3] = {0x3c003c00u, 0xb800b800u, 0xb800b800u};
  constexpr Packed sine[3] = {0x00000000u, 0x3aee3aeeu, 0xbaeebaeeu};
  Packed sum_re[1], sum_im[1], difference_re[1], difference_im[1];
  Packed total_re = re[0], total_im = im[0];
#pragma unroll
  for (int j = 1; j <= 1; ++j) {
    sum_re[j - 1] = add(re[j], re[3 - j]), sum_im[j - 1] = add(im[j], im[3 - j]);
    difference_re[j - 1] = sub(re[j], re[3 - j]), difference_im[j - 1] = sub(im[j], im[3 - j]);
    total_re = add(total_re, sum_re[j - 1]), total_im = add(total_im, sum_im[j - 1]);
  }
#pragma unroll
  for (int k = 1; k <= 1; ++k) {
    Packed even_re = re[0], even_im = im[0];
    Packed odd_re = mul(difference_im[0], sine[k]), odd_im = mul(difference_re[0], sine[k]);
#pragma unroll
    for (int j = 1; j <= 1; ++j) {
      even_re = fma(sum_re[j - 1], cosine[j * k % 3], even_re);
      even_im = fma(sum_im[j - 1], cosine[j * k % 3], even_im);
      if (j > 1) {
        odd_re = fma(difference_im[j - 1], sine[j * k % 3], odd_re);
        odd_im = fma(difference_re[j - 1], sine[j * k % 3], odd_im);
      }
    }
    const int plus = inverse ? 3 - k : k;
    re[plus] = add(even_re, odd_re), im[plus] = sub(even_im, odd_im);
    re[3 - plus] = sub(even_re, odd_re), im[3 - plus] = add(even_im, odd_im);
  }
  re[0] = total_re, im[0] = total_im;
}
