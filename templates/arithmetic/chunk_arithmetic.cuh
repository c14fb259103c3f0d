// Arithmetic on chunks of 8 samples.
#pragma once

#include "packed.cuh"

__device__ __forceinline__ uint4 sum_of(const uint4& x, const uint4& y) {
  return make_uint4(add(x.x, y.x), add(x.y, y.y), add(x.z, y.z), add(x.w, y.w));
}

__device__ __forceinline__ uint4 difference_of(const uint4& x, const uint4& y) {
  return make_uint4(sub(x.x, y.x), sub(x.y, y.y), sub(x.z, y.z), sub(x.w, y.w));
}

__device__ __forceinline__ uint4 halved(const uint4& x) {
  constexpr Packed half = 0x38003800u;
  return make_uint4(mul(x.x, half), mul(x.y, half), mul(x.z, half), mul(x.w, half));
}
