// Powers of two from magnitudes in memory.
#pragma once

#include "global.cuh"
#include "row_magnitudes.cuh"

// The magnitude of a channel's rows, or of one that has its own, or the larger one of it and the next, as the bits of a
// float; zero where there is none.
__device__ __forceinline__ unsigned int magnitude_bits(const RowMagnitudes& magnitudes, int channel, int row,
                                                       bool with_next) {
  if (magnitudes.data == nullptr) return 0;
  const float* const first =
      magnitudes.data + (1LL * channel * magnitudes.channel_stride + 1LL * row * magnitudes.row_stride);
  const unsigned int bits = __float_as_uint(load_constant(first));
  return with_next ? max(bits, __float_as_uint(load_constant(first + magnitudes.row_stride))) : bits;
}

// Its exponent as floats hold it, 127 of [1, 2); of zero and of what is not finite too.
__device__ __forceinline__ unsigned int exponent_of_magnitude(unsigned int bits) {
  const unsigned int exponent = bits >> 23 & 255;
  return (bits & 0x7fffffffu) == 0 || exponent == 255 ? 127 : exponent == 0 ? 1 : exponent == 254 ? 253 : exponent;
}

// What brings results of rows of such a magnitude back.
__device__ __forceinline__ float scale_of_magnitude(unsigned int bits) {
  return __uint_as_float(exponent_of_magnitude(bits) << 23);
}
__device__ __forceinline__ float scale_out(const RowMagnitudes& magnitudes, int channel, int row = 0,
                                           bool with_next = false) {
  return scale_of_magnitude(magnitude_bits(magnitudes, channel, row, with_next));
}

// What brings the rows to [1, 2).
__device__ __forceinline__ float scale_in(const RowMagnitudes& magnitudes, int channel, int row = 0,
                                          bool with_next = false) {
  return __uint_as_float(254 - exponent_of_magnitude(magnitude_bits(magnitudes, channel, row, with_next)) << 23);
}
