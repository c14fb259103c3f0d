// Radix 2 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 2), unscaled, on the general units.
#pragma once

#include "packed.cuh"
#include "wide.cuh"

template <bool inverse, class Value>
__device__ __forceinline__ void butterfly(Value (&re)[2], Value (&im)[2]) {
  const Value difference_re = sub(re[0], re[1]), difference_im = sub(im[0], im[1]);
  re[0] = add(re[0], re[1]), im[0] = add(im[0], im[1]);
  re[1] = difference_re, im[1] = difference_im;
}

// The same where the second input is padding.
template <bool inverse>
__device__ __forceinline__ void butterfly_padded(Packed (&re)[2], Packed (&im)[2]) {
  re[1] = re[0], im[1] = im[0];
}
