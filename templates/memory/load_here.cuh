// Constants that a stage reads where it stands.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

// What no thread writes; not ahead of the loop around it, where it would wait in registers that other stages need.
__device__ __forceinline__ uint4 load_here(const uint4* from) {
  uint4 d;
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(d.x), "=r"(d.y), "=r"(d.z), "=r"(d.w) : "l"(from));
  return d;
}

#endif
