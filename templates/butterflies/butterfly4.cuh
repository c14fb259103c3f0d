// Radix 4 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 4), unscaled, on the general units.
#pragma once

#include "packed.cuh"
#include "wide.cuh"

template <bool inverse, class Value>
__device__ __forceinline__ void butterfly(Value (&re)[4], Value (&im)[4]) {
  const Value a_re = add(re[0], re[2]), a_im = add(im[0], im[2]);
  const Value b_re = sub(re[0], re[2]), b_im = sub(im[0], im[2]);
  const Value c_re = add(re[1], re[3]), c_im = add(im[1], im[3]);
  // Times -i forward and i inverse: which of the odd outputs gets the sum is all that differs.
  const Value d_re = inverse ? sub(im[3], im[1]) : sub(im[1], im[3]);
  const Value d_im = inverse ? sub(re[1], re[3]) : sub(re[3], re[1]);
  re[0] = add(a_re, c_re), im[0] = add(a_im, c_im);
  re[1] = add(b_re, d_re), im[1] = add(b_im, d_im);
  re[2] = sub(a_re, c_re), im[2] = sub(a_im, c_im);
  re[3] = sub(b_re, d_re), im[3] = sub(b_im, d_im);
}

// The same where the upper two inputs are padding: one level of additions.
template <bool inverse>
__device__ __forceinline__ void butterfly_padded(Packed (&re)[4], Packed (&im)[4]) {
  const Packed a_re = re[0], a_im = im[0], b_re = re[1], b_im = im[1];
  re[0] = add(a_re, b_re), im[0] = add(a_im, b_im);
  re[2] = sub(a_re, b_re), im[2] = sub(a_im, b_im);
  re[1] = inverse ? sub(a_re, b_im) : add(a_re, b_im), im[1] = inverse ? add(a_im, b_re) : sub(a_im, b_re);
  re[3] = inverse ? add(a_re, b_im) : sub(a_re, b_im), im[3] = inverse ? sub(a_im, b_re) : add(a_im, b_re);
}
