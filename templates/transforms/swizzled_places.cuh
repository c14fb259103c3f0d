// Numbers of an array in shared memory that a thread reads or writes a fixed step apart.
#pragma once

#include "shared_floats.cuh"

__device__ __forceinline__ constexpr bool is_power_of_two(int n) { return (n & (n - 1)) == 0; }

// Where numbers `first` + i * step are, step * i and `first` having no bit in common if `apart`.
template <int step, bool apart>
struct Places {
  SharedAddress array;
  int first;  // in bytes if `apart`
  __device__ __forceinline__ Places(SharedAddress array, int first)
      : array(array), first(apart ? 8 * swizzled_place(first) : first) {}
  __device__ __forceinline__ SharedAddress operator[](int i) const {
    if (!apart) return array + 8 * swizzled_place(first + i * step);
    // Of sixteens a known number of bytes ahead.
    const int place = swizzled_place(i * step), within = place % 16;
    return array + (first ^ 8 * within) + 8 * (place - within);
  }
};
