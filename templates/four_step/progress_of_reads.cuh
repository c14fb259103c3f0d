// Counts of places that have been read, and that nobody writes back to.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

// Adds what is said of reads alone. They are over when their values are there, and nobody waits for what threads wrote.
__device__ __forceinline__ void add_reads_to_count(unsigned int* count, unsigned int more) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(count), "r"(more) : "memory");
}

#endif
