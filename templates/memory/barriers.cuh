// Rendezvous of threads: of a warp, of the block, of some warps of it.
#pragma once

#ifndef FFC_HOST  // the host has twins of these

__device__ __forceinline__ void warp_barrier() { __syncwarp(); }
__device__ __forceinline__ void block_barrier() { __syncthreads(); }

// Of `threads` threads that name the same barrier, 1 to 15.
template <int threads>
__device__ __forceinline__ void named_barrier(int barrier) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(threads) : "memory");
}

#endif
