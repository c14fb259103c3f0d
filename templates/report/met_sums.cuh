// Sums, or the frequencies that they are made of, must be finite: taps are made of them, which nobody looks at then.
#pragma once

#include "report.cuh"
#include "tile.cuh"

struct MetSums {
  Packed largest = 0;        // of frequencies, in fp16; its signs mean nothing
  float largest_sum = 0.0f;  // or a NaN

  __device__ __forceinline__ void add(const Tile& x) {
    largest = larger_magnitudes(largest, larger_magnitudes(largest_magnitudes<4>(x.re), largest_magnitudes<4>(x.im)));
  }
  __device__ __forceinline__ void add_word(float sum) { largest_sum = larger_or_nan(largest_sum, fabsf(sum)); }
  template <class Sums>
  __device__ __forceinline__ void add_sums(const Sums& sums) {
#pragma unroll
    for (int i = 0; i < 8; ++i) add_word(sums.re[i]), add_word(sums.im[i]);
  }
  __device__ __forceinline__ bool finite() const {
    return larger_of_both(magnitudes(largest)) < 0x7c00u && __float_as_uint(largest_sum) < 0x7f800000u;
  }
};

__device__ __forceinline__ void report_unless_finite(unsigned int* of_channel, const MetSums& met) {
  if (!met.finite()) atomic_max_global(of_channel, 0x7fffffffu);
}
