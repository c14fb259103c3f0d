// The transform of a real row of odd length, as a complex one.
#pragma once

#include "shifted_frequencies.cuh"

constexpr int points = length;
using PointFrequencies = WholeFrequencies;

// Point first + offset without the skip term.
__device__ __forceinline__ float2 placed(const Taps& taps, int first, int offset) {
  return {taps.at(first, offset), 0.0f};
}

// Frequency f as the spectrum has it.
__device__ __forceinline__ float2 kept(float2 value, int f) {
//[[dropped
//]]
  return value;
}

template <class Stored>
__device__ __forceinline__ float2 frequency_of(const Stored& stored, int f) {
  return stored(f);
}
