// Registers of a warp: warps of one block with different work may have different numbers of them.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

// All four warps of a warp group, which gives registers back or waits until there are as many. Before sm_90a every warp
// keeps what it has.
template <int count>
__device__ __forceinline__ void give_registers_back() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(count));
#endif
}

template <int count>
__device__ __forceinline__ void take_registers() {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(count));
#endif
}

#endif
