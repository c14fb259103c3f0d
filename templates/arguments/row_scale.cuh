// Powers of two from magnitudes in memory.
#pragma once

#include "global.cuh"
#include "row_magnitudes.cuh"

// The exponent of a magnitude as floats hold it, 127 of [1, 2); of zero, of what is not finite and of none too.
__device__ __forceinline__ unsigned int exponent_bits(const RowMagnitudes& magnitudes, int channel) {
  if (magnitudes.data == nullptr) return 127;
  const unsigned int bits = __float_as_uint(load_constant(magnitudes.data + channel * magnitudes.channel_stride));
  const unsigned int exponent = bits >> 23 & 255;
  return (bits & 0x7fffffffu) == 0 || exponent == 255 ? 127 : exponent == 0 ? 1 : exponent == 254 ? 253 : exponent;
}

// What brings rows of such magnitudes to [1, 2).
__device__ __forceinline__ float scale_in(const RowMagnitudes& magnitudes, int channel) {
  return __uint_as_float(254 - exponent_bits(magnitudes, channel) << 23);
}

// What brings results back.
__device__ __forceinline__ float scale_out(const RowMagnitudes& magnitudes, int channel) {
  return __uint_as_float(exponent_bits(magnitudes, channel) << 23);
}
