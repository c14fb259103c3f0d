// Two transforms of half the length, of the even and of the odd inputs, joined by one radix 2.
#pragma once

#include "packed.cuh"

// x[k], x[radix/2 + k] = even[k] +- odd[k] exp(-+2 pi i k / radix): two roundings an output.
template <bool inverse, int radix>
__device__ __forceinline__ void join_halves(const Packed (&even_re)[radix / 2], const Packed (&even_im)[radix / 2],
                                            const Packed (&odd_re)[radix / 2], const Packed (&odd_im)[radix / 2],
                                            const Packed (&cosine)[radix / 2], const Packed (&sine)[radix / 2],
                                            Packed (&re)[radix], Packed (&im)[radix]) {
#pragma unroll
  for (int k = 0; k < radix / 2; ++k) {
    if (k == 0) {
      re[0] = add(even_re[0], odd_re[0]), im[0] = add(even_im[0], odd_im[0]);
      re[radix / 2] = sub(even_re[0], odd_re[0]), im[radix / 2] = sub(even_im[0], odd_im[0]);
    } else {
      const Packed c = cosine[k], minus_c = neg(c), s = inverse ? neg(sine[k]) : sine[k], minus_s = neg(s);
      re[k] = fma(odd_re[k], c, fma(odd_im[k], s, even_re[k]));
      im[k] = fma(odd_im[k], c, fma(odd_re[k], minus_s, even_im[k]));
      re[radix / 2 + k] = fma(odd_re[k], minus_c, fma(odd_im[k], minus_s, even_re[k]));
      im[radix / 2 + k] = fma(odd_im[k], minus_c, fma(odd_re[k], s, even_im[k]));
    }
  }
}
