// Rows stored as bf16 and carried as fp16: what fragments and chunks need on the way in and out.
#pragma once

#include "packed.cuh"

__device__ __forceinline__ float low_bf16(Packed stored) { return __uint_as_float(stored << 16); }
__device__ __forceinline__ float high_bf16(Packed stored) { return __uint_as_float(stored & 0xffff0000u); }

__device__ __forceinline__ Packed to_fp16x2(float low, float high) {
  Packed d;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(high), "f"(low));
  return d;
}

__device__ __forceinline__ Packed to_bf16x2(float low, float high) {
  Packed d;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(high), "f"(low));
  return d;
}

__device__ __forceinline__ float2 to_floats(Packed value) {
  float2 d;
  asm("{.reg .f16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h;}"
      : "=f"(d.x), "=f"(d.y)
      : "r"(value));
  return d;
}

__device__ __forceinline__ Packed to_packed(Packed stored) { return to_fp16x2(low_bf16(stored), high_bf16(stored)); }

// Sample times gate.
__device__ __forceinline__ Packed to_packed_gated(Packed stored, Packed gate) {
  return to_fp16x2(low_bf16(stored) * low_bf16(gate), high_bf16(stored) * high_bf16(gate));
}

// The same times a power of two.
__device__ __forceinline__ Packed to_packed_scaled(Packed stored, float scale) {
  return to_fp16x2(low_bf16(stored) * scale, high_bf16(stored) * scale);
}
__device__ __forceinline__ Packed to_packed_gated_scaled(Packed stored, Packed gate, float scale) {
  return to_fp16x2(low_bf16(stored) * low_bf16(gate) * scale, high_bf16(stored) * high_bf16(gate) * scale);
}

// The result of the transform times the filter's scale.
__device__ __forceinline__ Packed to_stored(Packed value, float scale) {
  const float2 x = to_floats(value);
  return to_bf16x2(x.x * scale, x.y * scale);
}

// The same times the out gate.
__device__ __forceinline__ Packed to_stored_gated(Packed value, float scale, Packed gate) {
  const float2 x = to_floats(value);
  return to_bf16x2(x.x * scale * low_bf16(gate), x.y * scale * high_bf16(gate));
}
