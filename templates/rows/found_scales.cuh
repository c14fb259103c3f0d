// A power of two for each row of a pair, from the largest magnitude that the group's warps find in it.
#pragma once

#include "group_barrier.cuh"
#include "largest_bf16.cuh"
#include "shared_words.cuh"

// The exponent of a magnitude as bf16 has it, 127 of [1, 2); of zero and of what is not finite too.
constexpr unsigned int wanted_exponent = 4;
__device__ __forceinline__ unsigned int exponent_of(unsigned int magnitude) {
  const unsigned int exponent = magnitude >> 7;
  return magnitude == 0 || exponent == 255 ? 127 : exponent <= wanted_exponent ? wanted_exponent + 1 : exponent;
}

// The largest of a row times `in` is in [16, 32): below it fp16 has room for small samples, above it for sums of 32768.
// Results times `out` are those of the rows.
struct FoundScales {
  float in[2], out[2];

  // Of part `part`, from the magnitudes of both.
  __device__ __forceinline__ void take(int part, Packed largest) {
    const unsigned int exponent = exponent_of(part == 0 ? largest & 0xffffu : largest >> 16);
    in[part] = __uint_as_float(254 + wanted_exponent - exponent << 23);
    out[part] = __uint_as_float(exponent - wanted_exponent << 23);
  }
};

__device__ __forceinline__ FoundScales scales_of(Packed largest) {
  FoundScales scales;
  scales.take(0, largest), scales.take(1, largest);
  return scales;
}

// What the warps of a group have written to `words`, once they have met.
template <int warps>
__device__ __forceinline__ Packed largest_of(SharedAddress words) {
  if constexpr (warps > 4) {  // a word a lane
    const Packed word = load_shared4(words + threadIdx.x % warps * 4);
    return largest_of_warp(word & 0xffffu) | largest_of_warp(word >> 16) << 16;
  } else if constexpr (warps == 4) {
    const uint4 four = load_shared(words);
    return larger_halves(larger_halves(four.x, four.y), larger_halves(four.z, four.w));
  } else {
    Packed largest = load_shared4(words);
#pragma unroll
    for (int i = 1; i < warps; ++i) largest = larger_halves(largest, load_shared4(words + 4 * i));
    return largest;
  }
}
