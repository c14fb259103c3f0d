// Atomic operations on global memory.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

__device__ __forceinline__ void atomic_max_global(unsigned int* to, unsigned int value) { atomicMax(to, value); }

// What atomic operations of other threads have made of a word, or what it was a little earlier.
__device__ __forceinline__ unsigned int load_relaxed(const unsigned int* from) {
  unsigned int value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from));
  return value;
}

#endif
