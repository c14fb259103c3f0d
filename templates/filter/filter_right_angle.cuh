// The transform of a row at frequencies 4 k + 1 of `length`, a fourth of them: what the quarters of the row give is
// known at these, 1, -i, -1 and i times the first one's, so a fourth of the points under weights holds it all.
#pragma once

#include "shifted_frequencies.cuh"

constexpr int points = length / 4;
using PointFrequencies = QuarterFrequencies;

// Point first + offset without the skip term, with the weight of the offset, which is known at compile time: that of
// the first one is in the roots of later passes.
__device__ __forceinline__ float2 placed(const Taps& taps, int first, int offset) {
  // Mostly there are no taps in the second half.
  constexpr bool whole = head > 2 * points || tail_start < length;
  float2 sample = {taps.at(first, offset), head > points || whole ? -taps.at(first, offset + points) : 0.0f};
  if (whole) sample.x -= taps.at(first, offset + 2 * points), sample.y += taps.at(first, offset + 3 * points);
  return multiply(sample, constant_root<length>(offset));
}

// Frequency f = 4 k + 1, of those that lie at k.
template <class Stored>
__device__ __forceinline__ float2 frequency_of(const Stored& stored, int f) {
  return stored(f / 4);
}

// Frequency 4 k + 1 as the spectrum has it.
__device__ __forceinline__ float2 kept(float2 value, int) { return value; }
