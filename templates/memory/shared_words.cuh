// Words of shared memory.
#pragma once

#include "packed.cuh"

using SharedAddress = unsigned int;  // byte address in the shared window

#ifndef FFC_HOST  // the host has twins of these

// Where the block's dynamic shared memory begins.
__device__ __forceinline__ SharedAddress dynamic_shared() {
  extern __shared__ uint4 shared_memory[];
  return static_cast<SharedAddress>(__cvta_generic_to_shared(shared_memory));
}

__device__ __forceinline__ unsigned int load_shared4(SharedAddress address) {
  unsigned int d;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(d) : "r"(address) : "memory");
  return d;
}

__device__ __forceinline__ unsigned short load_shared2(SharedAddress address) {
  unsigned short d;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(d) : "r"(address) : "memory");
  return d;
}

__device__ __forceinline__ void store_shared4(SharedAddress address, unsigned int s) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(s) : "memory");
}

__device__ __forceinline__ uint4 load_shared(SharedAddress address) {
  uint4 d;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w)
               : "r"(address)
               : "memory");
  return d;
}

__device__ __forceinline__ uint2 load_shared8(SharedAddress address) {
  uint2 d;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(d.x), "=r"(d.y) : "r"(address) : "memory");
  return d;
}

__device__ __forceinline__ void store_shared8(SharedAddress address, const uint2& s) {
  asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(s.x), "r"(s.y) : "memory");
}

__device__ __forceinline__ void store_shared(SharedAddress address, const uint4& s) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(s.x), "r"(s.y), "r"(s.z), "r"(s.w)
               : "memory");
}

__device__ __forceinline__ void atomic_max_shared(SharedAddress address, unsigned int value) {
  asm volatile("red.shared.max.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

#endif
