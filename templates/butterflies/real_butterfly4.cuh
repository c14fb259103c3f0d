// Radix 4 over the register index of real numbers: X[q] = sum of x[n] exp(-2 pi i n q / 4), its real part in x[q] and
// its imaginary one in x[4 - q]; and back, from frequency 1 as it is and 0 and 2 halved, to half of x.
#pragma once

#include "packed.cuh"

__device__ __forceinline__ void butterfly_of_real(Packed (&x)[4]) {
  const Packed even = add(x[0], x[2]), odd = add(x[1], x[3]);
  const Packed re = sub(x[0], x[2]), im = sub(x[3], x[1]);
  x[0] = add(even, odd), x[2] = sub(even, odd);
  x[1] = re, x[3] = im;
}

__device__ __forceinline__ void butterfly_to_real(Packed (&x)[4]) {
  const Packed even = add(x[0], x[2]), odd = sub(x[0], x[2]), re = x[1], im = x[3];
  x[0] = add(even, re), x[2] = sub(even, re);
  x[1] = sub(odd, im), x[3] = add(odd, im);
}
