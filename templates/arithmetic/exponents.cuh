// Powers of two of block floating point, by exponents as floats hold them, 127 of [1, 2).
#pragma once

// Of a tile's largest magnitude, the bits of a bf16. Of zeros it is the least there is; what is not finite stays so
// with any.
__device__ __forceinline__ unsigned int tile_exponent(unsigned int magnitude) {
  const unsigned int exponent = magnitude >> 7;
  return exponent == 255 ? 127 : min(max(exponent, 1u), 253u);
}

constexpr unsigned int exponent_of_one = 127;  // of [1, 2)

// What brings a tile of such an exponent to [1, 2), and results back.
__device__ __forceinline__ float scale_to_one(unsigned int exponent) { return __uint_as_float(254 - exponent << 23); }
__device__ __forceinline__ float scale_from_one(unsigned int exponent) { return __uint_as_float(exponent << 23); }

// Zero where it is below all of fp16.
__device__ __forceinline__ float power_below(unsigned int exponent, unsigned int largest) {
  return __uint_as_float(max(static_cast<int>(exponent + 127 - largest), 0) << 23);
}
