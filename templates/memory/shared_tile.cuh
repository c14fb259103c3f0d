// Tiles between shared memory and registers: eight-by-eight blocks of fp16 through ldmatrix and stmatrix.
#pragma once

#include "shared_words.cuh"

#ifndef FFC_HOST  // the host has twins of these

// Four transposed blocks: lane l gives the address of row l % 8 of block l / 8.
__device__ __forceinline__ void load_blocks_transposed(SharedAddress address, Packed& b0, Packed& b1, Packed& b2,
                                                       Packed& b3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(b0), "=r"(b1), "=r"(b2), "=r"(b3)
               : "r"(address)
               : "memory");
}

#endif

#if __CUDA_ARCH__ >= 900
#ifndef FFC_HOST  // the host has twins of these

__device__ __forceinline__ void store_blocks(SharedAddress address, Packed b0, Packed b1, Packed b2, Packed b3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(b0), "r"(b1),
               "r"(b2), "r"(b3)
               : "memory");
}

__device__ __forceinline__ void store_blocks_transposed(SharedAddress address, Packed b0, Packed b1, Packed b2,
                                                        Packed b3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(b0),
               "r"(b1), "r"(b2), "r"(b3)
               : "memory");
}

#endif
#else

#ifndef FFC_HOST  // the host has twins of these

// The value of another lane.
__device__ __forceinline__ unsigned int shuffle(unsigned int value, int lane) {
  return __shfl_sync(0xffffffffu, value, lane);
}

__device__ __forceinline__ Packed transpose_block(Packed b) {
  Packed d;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(b));
  return d;
}

#endif

// Before sm_90 each lane fetches the address of its row of every block and stores its pair of columns itself.
__device__ __forceinline__ void store_block(SharedAddress address, int block, Packed b) {
  const int lane = threadIdx.x % 32;
  const SharedAddress row = shuffle(address, 8 * block + lane / 4);
  store_shared4(row + 4 * (lane % 4), b);
}

__device__ __forceinline__ void store_blocks(SharedAddress address, Packed b0, Packed b1, Packed b2, Packed b3) {
  store_block(address, 0, b0);
  store_block(address, 1, b1);
  store_block(address, 2, b2);
  store_block(address, 3, b3);
}

__device__ __forceinline__ void store_blocks_transposed(SharedAddress address, Packed b0, Packed b1, Packed b2,
                                                        Packed b3) {
  store_blocks(address, transpose_block(b0), transpose_block(b1), transpose_block(b2), transpose_block(b3));
}

#endif
