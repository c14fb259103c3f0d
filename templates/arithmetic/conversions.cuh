// Two fp16 values from and to fp32.
#pragma once

#include "packed.cuh"

#ifndef FFC_HOST  // the host has twins of these

// Rounded to nearest even.
__device__ __forceinline__ Packed pack(float low, float high) {
  Packed d;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(high), "f"(low));
  return d;
}

__device__ __forceinline__ float low_half(Packed value) {
  float d;
  asm("{.reg .f16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l;}" : "=f"(d) : "r"(value));
  return d;
}

__device__ __forceinline__ float high_half(Packed value) {
  float d;
  asm("{.reg .f16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h;}" : "=f"(d) : "r"(value));
  return d;
}

#endif
