// Atomic operations on global memory.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

__device__ __forceinline__ void atomic_max_global(unsigned int* to, unsigned int value) { atomicMax(to, value); }

__device__ __forceinline__ void atomic_add_global(unsigned long long* to, unsigned long long value) {
  atomicAdd(to, value);
}

#endif
