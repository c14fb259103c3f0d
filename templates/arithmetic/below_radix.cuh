// Of a tile with fewer rows, or frequencies, than 16: which numbers of a register are there.
#pragma once

#include "packed.cuh"

// A register of numbers 8 j + 2 (lane % 4), + 1: those from `radix` on become zero.
template <int radix>
__device__ __forceinline__ Packed below_radix(Packed value, int j, int lane) {
  if (8 * j + 8 <= radix) return value;
  const int first = 8 * j + 2 * (lane % 4);
  return value & ((first < radix ? 0xffffu : 0u) | (first + 1 < radix ? 0xffff0000u : 0u));
}
