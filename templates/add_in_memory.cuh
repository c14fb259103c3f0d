// Additions of four floats at once to what lies in global memory.
#pragma once

#if !defined(FFC_HOST) && __CUDA_ARCH__ >= 900

// The memory adds, and nobody waits for it.
__device__ __forceinline__ void add_in_memory(float4* to, const float4& more) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(more.x), "f"(more.y),
               "f"(more.z), "f"(more.w)
               : "memory");
}

#endif
