// Additions in one instruction, of sm_90 and later, to sums that would leave the L2 cache from pair to pair.
#pragma once

// The memory adds, and nobody waits for it; what it has added to is the last to leave the L2 cache.
__device__ __forceinline__ void add_to_sums(float4* to, const float4& more) {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("red.relaxed.gpu.global.add.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(to), "f"(more.x),
               "f"(more.y), "f"(more.z), "f"(more.w), "l"(policy)
               : "memory");
}
