// Numbers in float32 in shared memory: four by themselves, and complex ones.
#pragma once

#include "shared_words.cuh"

__device__ __forceinline__ float4 load_floats(SharedAddress from) {
  const uint4 s = load_shared(from);
  return {__uint_as_float(s.x), __uint_as_float(s.y), __uint_as_float(s.z), __uint_as_float(s.w)};
}

__device__ __forceinline__ void store_floats(SharedAddress to, float a, float b, float c, float d) {
  store_shared(to, make_uint4(__float_as_uint(a), __float_as_uint(b), __float_as_uint(c), __float_as_uint(d)));
}

__device__ __forceinline__ float2 load_complex(SharedAddress from) {
  const uint2 s = load_shared8(from);
  return {__uint_as_float(s.x), __uint_as_float(s.y)};
}

__device__ __forceinline__ void store_complex(SharedAddress to, float2 value) {
  store_shared8(to, make_uint2(__float_as_uint(value.x), __float_as_uint(value.y)));
}

// The place of number `index` of an array: neighbours, and numbers 4, 8, 32 or 64 apart, are in banks of their own.
// Where a and b have no bit in common, that of a + b is swizzled_place(a) ^ swizzled_place(b).
__device__ __forceinline__ constexpr int swizzled_place(int index) {
  const int sixteen = index / 16;
  return index ^ ((sixteen ^ 2 * sixteen) & 15);
}
