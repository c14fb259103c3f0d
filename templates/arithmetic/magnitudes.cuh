// How large samples of bf16 are, two at a time: their bits without the signs, in the order of their values.
#pragma once

#include "packed.cuh"

#ifndef FFC_HOST  // the host has twins of these

// The larger of the low halves, and of the high ones.
__device__ __forceinline__ Packed larger_halves(Packed a, Packed b) { return __vmaxu2(a, b); }

// Products of samples of bf16, rounded to it.
__device__ __forceinline__ Packed multiply_bf16(Packed a, Packed b) {
  Packed d;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(0x80008000u));  // -0 adds nothing
  return d;
}

// The value of the lane whose number differs in the bits of `step`.
__device__ __forceinline__ unsigned int exchanged(unsigned int value, int step) {
  return __shfl_xor_sync(0xffffffffu, value, step);
}

#endif

__device__ __forceinline__ Packed magnitudes(Packed stored) { return stored & 0x7fff7fffu; }

// Of samples times gates.
__device__ __forceinline__ Packed magnitudes_gated(Packed stored, Packed gate) {
  return magnitudes(multiply_bf16(stored, gate));
}
