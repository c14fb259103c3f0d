// How far a launch of a split plan has come: counts in global memory that some blocks add to and others wait for.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

__device__ __forceinline__ unsigned int read_count(const unsigned int* count) {
  unsigned int value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(count) : "memory");
  return value;
}

// Whether a count that all lanes have read has come to `target`; then copies past the L1 cache, as asynchronous ones of
// 16 bytes are, find what its adders have written. Loads through that cache need not: an order that holds for them too
// would empty it each time.
__device__ __forceinline__ bool has_come(unsigned int count, unsigned int target) {
  return __all_sync(0xffffffffu, count >= target);
}

__device__ __forceinline__ bool has_count(const unsigned int* count, unsigned int target) {
  return has_come(read_count(count), target);
}

__device__ __forceinline__ void wait_for_count(const unsigned int* count, unsigned int target) {
  while (!has_count(count, target)) __nanosleep(20);
}

// Adds once others can see what threads wrote before a barrier with this one. A fence of its own would empty the L1
// cache as well.
__device__ __forceinline__ void add_to_count(unsigned int* count, unsigned int more) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(count), "r"(more) : "memory");
}

#endif
