// Sums, or the frequencies that they are made of, must be finite: taps are made of them, which nobody looks at then.
#pragma once

#include "report.cuh"
#include "tile.cuh"

struct MetSums {
  Packed largest = 0;    // of frequencies, in fp16
  int largest_word = 0;  // of sums

  __device__ __forceinline__ void add(const Tile& x) {
#pragma unroll
    for (int e = 0; e < 4; ++e)
      largest = larger_halves(larger_halves(largest, magnitudes(x.re[e])), magnitudes(x.im[e]));
  }
  __device__ __forceinline__ void add_word(float sum) {
    largest_word = max(largest_word, static_cast<int>(__float_as_uint(sum) & 0x7fffffffu));
  }
  template <class Sums>
  __device__ __forceinline__ void add_sums(const Sums& sums) {
#pragma unroll
    for (int i = 0; i < 8; ++i) add_word(sums.re[i]), add_word(sums.im[i]);
  }
  __device__ __forceinline__ bool finite() const {
    return (largest & 0xffffu) < 0x7c00u && largest >> 16 < 0x7c00u && largest_word < 0x7f800000;
  }
};

__device__ __forceinline__ void report_unless_finite(unsigned int* of_channel, const MetSums& met) {
  if (!met.finite()) atomic_max_global(of_channel, 0x7fffffffu);
}
