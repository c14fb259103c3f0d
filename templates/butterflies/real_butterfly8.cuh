// Radix 8 over the register index of real numbers: X[q] = sum of x[n] exp(-2 pi i n q / 8), its real part in x[q] and
// its imaginary one in x[8 - q]; and back, from frequencies 1 to 3 as they are and 0 and 4 halved, to half of x.
#pragma once

#include "half_root.cuh"
#include "packed.cuh"

__device__ __forceinline__ void butterfly_of_real(Packed (&x)[8]) {
  Packed sums[4], differences[4];
#pragma unroll
  for (int n = 0; n < 4; ++n) sums[n] = add(x[n], x[n + 4]), differences[n] = sub(x[n], x[n + 4]);
  const Packed even = add(sums[0], sums[2]), odd = add(sums[1], sums[3]);
  const Packed turned = sub(differences[1], differences[3]), both = add(differences[1], differences[3]);
  x[0] = add(even, odd), x[4] = sub(even, odd);
  x[2] = sub(sums[0], sums[2]), x[6] = sub(sums[3], sums[1]);
  x[1] = add_half_root(differences[0], turned), x[3] = sub_half_root(differences[0], turned);
  x[7] = sub_half_root(neg(differences[2]), both), x[5] = sub_half_root(differences[2], both);
}

__device__ __forceinline__ void butterfly_to_real(Packed (&x)[8]) {
  const Packed even = add(x[0], x[4]), odd = sub(x[0], x[4]);
  const Packed re = add(x[1], x[3]), re_apart = sub(x[1], x[3]), im = add(x[7], x[5]), im_apart = sub(x[7], x[5]);
  const Packed even_plus = add(even, x[2]), even_minus = sub(even, x[2]);
  const Packed odd_plus = add(odd, x[6]), odd_minus = sub(odd, x[6]);
  const Packed turned = sub(re_apart, im), both = add(re_apart, im);
  x[0] = add(even_plus, re), x[4] = sub(even_plus, re);
  x[2] = sub(even_minus, im_apart), x[6] = add(even_minus, im_apart);
  x[1] = add_half_root(odd_minus, turned), x[5] = sub_half_root(odd_minus, turned);
  x[3] = sub_half_root(odd_plus, both), x[7] = add_half_root(odd_plus, both);
}
