// Atomic operations on global memory.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

__device__ __forceinline__ void atomic_max_global(unsigned int* to, unsigned int value) { atomicMax(to, value); }

#endif
