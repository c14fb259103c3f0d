// Radix 5 over the register index: X[k] = sum of x[n] exp(-+2 pi i n k / 5), unscaled, on the general units.
#pragma once

#include "packed.cuh"
#include "wide.cuh"

// Outputs k and 5 - k share their sums and differences of inputs j and 5 - j.
template <bool inverse, class Value>
__device__ __forceinline__ void butterfly(Value (&re)[5], Value (&im)[5]) {
  const Value near = constant_like(Value(), 0x34f234f2u, 0.309016994f),
              far = constant_like(Value(), 0xba79ba79u, -0.809016994f);
  const Value high = constant_like(Value(), 0x3b9c3b9cu, 0.951056516f),
              low = constant_like(Value(), 0x38b438b4u, 0.587785252f);
  const Value cosine[5] = {Value(), near, far, far, near}, sine[5] = {Value(), high, low, neg(low), neg(high)};
  Value sum_re[2], sum_im[2], difference_re[2], difference_im[2];
  Value total_re = re[0], total_im = im[0];
#pragma unroll
  for (int j = 1; j <= 2; ++j) {
    sum_re[j - 1] = add(re[j], re[5 - j]), sum_im[j - 1] = add(im[j], im[5 - j]);
    difference_re[j - 1] = sub(re[j], re[5 - j]), difference_im[j - 1] = sub(im[j], im[5 - j]);
    total_re = add(total_re, sum_re[j - 1]), total_im = add(total_im, sum_im[j - 1]);
  }
#pragma unroll
  for (int k = 1; k <= 2; ++k) {
    Value even_re = re[0], even_im = im[0];
    Value odd_re = mul(difference_im[0], sine[k]), odd_im = mul(difference_re[0], sine[k]);
#pragma unroll
    for (int j = 1; j <= 2; ++j) {
      even_re = multiply_then_add(sum_re[j - 1], cosine[j * k % 5], even_re);
      even_im = multiply_then_add(sum_im[j - 1], cosine[j * k % 5], even_im);
      if (j > 1) {
        odd_re = multiply_then_add(difference_im[j - 1], sine[j * k % 5], odd_re);
        odd_im = multiply_then_add(difference_re[j - 1], sine[j * k % 5], odd_im);
      }
    }
    const int plus = inverse ? 5 - k : k;
    re[plus] = add(even_re, odd_re), im[plus] = sub(even_im, odd_im);
    re[5 - plus] = sub(even_re, odd_re), im[5 - plus] = add(even_im, odd_im);
  }
  re[0] = total_re, im[0] = total_im;
}
