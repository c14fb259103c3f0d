// Additions to sums in one instruction, of sm_90 and later.
#pragma once

// The memory adds, and nobody waits for it.
__device__ __forceinline__ void add_to_sums(float4* to, const float4& more) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(more.x), "f"(more.y),
               "f"(more.z), "f"(more.w)
               : "memory");
}
