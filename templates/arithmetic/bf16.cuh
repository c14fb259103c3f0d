// Two bf16 packed in one register.
#pragma once

#include "packed.cuh"

__device__ __forceinline__ float low_bf16(Packed stored) { return __uint_as_float(stored << 16); }
__device__ __forceinline__ float high_bf16(Packed stored) { return __uint_as_float(stored & 0xffff0000u); }

#ifndef FFC_HOST  // the host has twins of these

// Rounded to nearest even.
__device__ __forceinline__ Packed pack_bf16(float low, float high) {
  Packed d;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(high), "f"(low));
  return d;
}

// Products of bf16, rounded to it.
__device__ __forceinline__ Packed multiply_bf16(Packed a, Packed b) {
  Packed d;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0x80008000u));  // -0 adds nothing
  return d;
}

#endif
