// Additions of four floats at once to what lies in global memory and would leave the L2 cache from one to the next.
#pragma once

#if !defined(FFC_HOST) && __CUDA_ARCH__ >= 900

// The memory adds, and nobody waits for it; what it has added to is the last to leave the L2 cache.
__device__ __forceinline__ void add_in_memory(float4* to, const float4& more) {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("red.relaxed.gpu.global.add.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "f"(more.x),
               "f"(more.y), "f"(more.z), "f"(more.w), "l"(policy)
               : "memory");
}

#endif
