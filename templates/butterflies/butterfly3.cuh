// Radix 3 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 3), unscaled, on the general units.
#pragma once

#include "packed.cuh"

// Outputs 1 and 2 share the sum and the difference of inputs 1 and 2; each is rounded once after them.
template <bool inverse>
__device__ __forceinline__ void butterfly(Packed (&re)[3], Packed (&im)[3]) {
  constexpr Packed minus_half = 0xb800b800u, sine = 0x3aee3aeeu, minus_sine = 0xbaeebaeeu;  // of 2 pi / 3
  const Packed sum_re = add(re[1], re[2]), sum_im = add(im[1], im[2]);
  const Packed difference_re = sub(re[1], re[2]), difference_im = sub(im[1], im[2]);
  const Packed even_re = fma(sum_re, minus_half, re[0]), even_im = fma(sum_im, minus_half, im[0]);
  constexpr int plus = inverse ? 2 : 1;
  re[0] = add(re[0], sum_re), im[0] = add(im[0], sum_im);
  re[plus] = fma(difference_im, sine, even_re), im[plus] = fma(difference_re, minus_sine, even_im);
  re[3 - plus] = fma(difference_im, minus_sine, even_re), im[3 - plus] = fma(difference_re, sine, even_im);
}
