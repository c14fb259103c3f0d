// Kernels of one launch that follow each other: where one begins before the one ahead has ended.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

// Waits until the kernel ahead has ended and its results are visible. Nothing to do before sm_90, or where the launch
// asked for no overlap.
__device__ __forceinline__ void wait_for_kernel_ahead() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Lets blocks of the kernel behind begin as soon as there is room for them.
__device__ __forceinline__ void release_kernel_behind() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#endif
