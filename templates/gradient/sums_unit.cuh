// Sums of pairs that have powers of two of their own, in a common one.
#pragma once

#include "found_scales.cuh"
#include "sums.cuh"

// The largest product of a pair's powers of two so far. u's rows, of which nothing but sums is made, are scaled so that
// products with dy's frequencies are in it as they are. What fp16 does not hold then is 2^-24 of the largest.
struct SumsUnit {
  int exponent = 0;  // of both tensors together, as floats hold them: 254 of 1; 0 where no pair has said it yet

  // Takes a pair in: its largest magnitudes, and sums so far.
  template <int count>
  __device__ __forceinline__ void take(FoundScales& found, Packed largest, Sums (&sums)[count]) {
    if ((largest & 0xffffu) == 0 || largest >> 16 == 0) return;  // nothing is added, and nothing says how large it is
    const int of_pair = exponent_of_float(found.out[0]) + exponent_of_float(found.out[1]);
    if (of_pair > exponent) {
      if (exponent > 0) multiply(sums, power_of_two(127 + exponent - of_pair));
      exponent = of_pair;
    }
    found.in[0] = power_of_two(exponent_of_float(found.in[0]) + of_pair - exponent);
  }

  // Sums as those of the rows as they came.
  template <int count>
  __device__ __forceinline__ void settle(Sums (&sums)[count]) const {
    if (exponent == 0) return;
    const int half = exponent / 2;  // the whole may be no float
    multiply(sums, power_of_two(half)), multiply(sums, power_of_two(exponent - half));
  }

 private:
  __device__ __forceinline__ static int exponent_of_float(float value) { return __float_as_uint(value) >> 23; }
  // Zero where floats end.
  __device__ __forceinline__ static float power_of_two(int exponent) {
    return __uint_as_float(static_cast<unsigned int>(max(exponent, 0)) << 23);
  }
  template <int count>
  __device__ __forceinline__ static void multiply(Sums (&sums)[count], float factor) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sums[i].re[j] *= factor, sums[i].im[j] *= factor;
    }
  }
};
