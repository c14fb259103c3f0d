// The transform of a real row of `length` samples by half as many complex points: even samples are real parts, odd ones
// imaginary parts.
#pragma once

#include "shifted_frequencies.cuh"

constexpr int points = length / 2;
using PointFrequencies = WholeFrequencies;
static_assert(length % 2 == 0, "every sample has a partner");

// Point first + offset without the skip term.
__device__ __forceinline__ float2 placed(const Taps& taps, int first, int offset) {
  return {taps.at(2 * first, 2 * offset), taps.at(2 * first, 2 * offset + 1)};
}

// Frequencies f and points - f of the real row.
struct Untangled {
  float2 low, high;
};

// Hermitian untangling: the even samples' transform and the odd ones' are the parts of the complex row's frequencies
// f and points - f that are Hermitian and anti-Hermitian. `root` is exp(-2 pi i f / length).
__device__ __forceinline__ Untangled untangled(float2 a, float2 b, int f, float2 root) {
  const float2 even = {0.5f * (a.x + b.x), 0.5f * (a.y - b.y)}, odd = {0.5f * (a.y + b.y), 0.5f * (b.x - a.x)};
  const float2 turned = multiply(odd, root);
  Untangled x = {add(even, turned), {even.x - turned.x, turned.y - even.y}};
//[[dropped
//]]
  return x;
}

// Frequency f, 0 <= f < length, of those from 0 to points: stored(f).
template <class Stored>
__device__ __forceinline__ float2 frequency_of(const Stored& stored, int f) {
  if (f <= points) return stored(f);
  const float2 mirrored = stored(length - f);
  return {mirrored.x, -mirrored.y};
}
