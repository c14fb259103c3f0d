// Tiles between shared memory and registers: eight-by-eight blocks of fp16 through ldmatrix and stmatrix.
#pragma once

#include "packed.cuh"

using SharedAddress = unsigned int;  // byte address in the shared window

__device__ __forceinline__ SharedAddress shared_address(const void* pointer) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(pointer));
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

__device__ __forceinline__ void store_shared(SharedAddress address, const uint4& s) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(s.x), "r"(s.y), "r"(s.z), "r"(s.w)
               : "memory");
}

// Four transposed blocks: lane l gives the address of row l % 8 of block l / 8.
__device__ __forceinline__ void load_blocks_transposed(SharedAddress address, Packed& b0, Packed& b1, Packed& b2,
                                                       Packed& b3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(b0), "=r"(b1), "=r"(b2), "=r"(b3)
               : "r"(address)
               : "memory");
}

#if __CUDA_ARCH__ >= 900

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

#else

// Before sm_90 each lane fetches the address of its row of every block and stores its pair of columns itself.
__device__ __forceinline__ void store_block(SharedAddress address, int block, Packed b) {
  const int lane = threadIdx.x % 32;
  const SharedAddress row = __shfl_sync(0xffffffffu, address, 8 * block + lane / 4);
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(row + 4 * (lane % 4)), "r"(b) : "memory");
}

__device__ __forceinline__ void store_blocks(SharedAddress address, Packed b0, Packed b1, Packed b2, Packed b3) {
  store_block(address, 0, b0);
  store_block(address, 1, b1);
  store_block(address, 2, b2);
  store_block(address, 3, b3);
}

__device__ __forceinline__ Packed transpose_block(Packed b) {
  Packed d;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(b));
  return d;
}

__device__ __forceinline__ void store_blocks_transposed(SharedAddress address, Packed b0, Packed b1, Packed b2,
                                                        Packed b3) {
  store_blocks(address, transpose_block(b0), transpose_block(b1), transpose_block(b2), transpose_block(b3));
}

#endif
