// Words of global memory that put what blocks of one launch write and read in order.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

// What the block that stored the word wrote before, and those that it had read of, can be read behind it, behind a
// barrier by all threads of the block.
__device__ __forceinline__ unsigned int load_in_order(const unsigned int* from) {
  unsigned int value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

// Behind a barrier: for all that the block's threads wrote.
__device__ __forceinline__ void store_in_order(unsigned int* to, unsigned int value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

// Both, and the value before.
__device__ __forceinline__ unsigned int add_in_order(unsigned int* to, unsigned int more) {
  unsigned int before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(to), "r"(more) : "memory");
  return before;
}

#endif
