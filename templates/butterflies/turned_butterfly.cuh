// A butterfly over rows of real samples at frequencies k + 1/4, for rows alone that a warp holds: no twiddles, but
// roots at quarters of the circle's steps, times a factor that makes them round well. Back from there the real parts
// are what is wanted.
#pragma once

#include "packed.cuh"

// Where the factor is 1, so is the root of the first samples.
__device__ __forceinline__ Packed times_first_root(Packed x) {
  constexpr Packed root = turn_re(0), one = 0x3c003c00u;
  return root == one ? x : mul(x, root);
}

// X[k] = sum of x[a] exp(-2 pi i a (4 k + 1) / (4 radix)). Of an even radix k and k + radix / 2 have what the even
// samples give in common, and of the odd ones the roots' signs differ.
template <int radix>
__device__ __forceinline__ void turned_butterfly(const Packed (&x)[radix], Packed (&re)[radix], Packed (&im)[radix]) {
  constexpr int apart = radix % 2 == 0 ? radix / 2 : radix;
#pragma unroll
  for (int k = 0; k < apart; ++k) {
    Packed even_re = times_first_root(x[0]), even_im = 0;
#pragma unroll
    for (int a = 2; a < radix; a += 2) {
      even_re = fma(x[a], turn_re(a * (4 * k + 1)), even_re);
      even_im = fma(x[a], turn_im(a * (4 * k + 1)), even_im);
    }
#pragma unroll
    for (int other = k; other < radix; other += apart) {
      re[other] = even_re, im[other] = even_im;
#pragma unroll
      for (int a = 1; a < radix; a += 2) {
        re[other] = fma(x[a], turn_re(a * (4 * other + 1)), re[other]);
        im[other] = fma(x[a], turn_im(a * (4 * other + 1)), im[other]);
      }
    }
  }
}

// The real parts of the conjugate: x[a] = sum of Re(X[k] exp(2 pi i a (4 k + 1) / (4 radix))). Of an even radix the
// even samples want sums of X[k] and X[k + radix / 2], and the odd ones differences.
template <int radix>
__device__ __forceinline__ void turned_butterfly_back(const Packed (&re)[radix], const Packed (&im)[radix],
                                                      Packed (&x)[radix]) {
  constexpr int apart = radix % 2 == 0 ? radix / 2 : radix;
#pragma unroll
  for (int a = 0; a < radix; ++a) {
    Packed of_re = 0, of_im = 0;
#pragma unroll
    for (int k = 0; k < apart; ++k) {
      Packed part_re = re[k], part_im = im[k];
      if (apart < radix) {
        part_re = a % 2 == 0 ? add(part_re, re[k + apart]) : sub(part_re, re[k + apart]);
        if (a > 0) part_im = a % 2 == 0 ? add(part_im, im[k + apart]) : sub(part_im, im[k + apart]);
      }
      const Packed c = turn_re(a * (4 * k + 1)), s = turn_im(a * (4 * k + 1));
      if (a == 0) {
        of_re = k == 0 ? part_re : add(of_re, part_re);
      } else {
        of_re = k == 0 ? mul(part_re, c) : fma(part_re, c, of_re);
        of_im = k == 0 ? mul(part_im, s) : fma(part_im, s, of_im);
      }
    }
    x[a] = a == 0 ? times_first_root(of_re) : add(of_re, of_im);
  }
}
