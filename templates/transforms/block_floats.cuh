// Block floating point: complex values in 32 bits, both parts integers of 16 bits, in a unit that many values share.
//
// Half the memory of float32; errors are at most 2^-15 of the largest part of those that share a unit.
#pragma once

#include "float_butterflies.cuh"
#include "larger_or_nan.cuh"

using PackedComplex = unsigned int;  // the real part in the low half, both plus 2^15

// 2^23 + 2^22 + 2^15: around it float32 counts in ones, and the integers are the low halves of its words.
constexpr float middle_of_integers = 12615680.0f;

// The unit of values up to a magnitude, given as the bits of a float: the exponent of the unit as floats hold it. Where
// the magnitude is not finite, the unit is infinite and all values become NaN.
__device__ __forceinline__ unsigned int unit_exponent(unsigned int largest_bits) {
  if (largest_bits >= 0x7f800000u) return 255;
  // The largest integer is 2^15 - 1: a magnitude close to a power of two takes the next one's unit.
  return max(largest_bits + 256 >> 23, 15u) - 14;
}
__device__ __forceinline__ float unit_of(unsigned int exponent) { return __uint_as_float(exponent << 23); }

// To values in units, as float32 that pack_integers() takes.
__device__ __forceinline__ float2 in_units(float2 value, unsigned int exponent) {
  const float per_unit = __uint_as_float(254 - exponent << 23);
  return {fmaf(value.x, per_unit, middle_of_integers), fmaf(value.y, per_unit, middle_of_integers)};
}
__device__ __forceinline__ PackedComplex pack_integers(float2 in_units) {
  return (__float_as_uint(in_units.x) & 0xffffu) | __float_as_uint(in_units.y) << 16;
}

// And back.
__device__ __forceinline__ float2 unpack_integers(PackedComplex packed, float unit) {
  const float middle = -middle_of_integers * unit;
  return {fmaf(__uint_as_float(0x4b400000u | (packed & 0xffffu)), unit, middle),
          fmaf(__uint_as_float(0x4b400000u | packed >> 16), unit, middle)};
}
