// Arithmetic on two fp16 values packed in one register, each operation rounded to nearest even.
#pragma once

using Packed = unsigned int;  // low half first

#ifndef FFC_HOST  // the host has twins of these

__device__ __forceinline__ Packed add(Packed a, Packed b) {
  Packed d;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

__device__ __forceinline__ Packed sub(Packed a, Packed b) {
  Packed d;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

__device__ __forceinline__ Packed mul(Packed a, Packed b) {
  Packed d;
  asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}

__device__ __forceinline__ Packed neg(Packed a) {
  Packed d;
  asm("neg.f16x2 %0, %1;" : "=r"(d) : "r"(a));
  return d;
}

// a * b + c, rounded once.
__device__ __forceinline__ Packed fma(Packed a, Packed b, Packed c) {
  Packed d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}

#endif

// a * b + c, and a constant, of the same kind of value as an argument: of two halves, or one in fp32 (wide.cuh).
__device__ __forceinline__ Packed multiply_then_add(Packed a, Packed b, Packed c) { return fma(a, b, c); }
__device__ __forceinline__ constexpr Packed constant_like(Packed, Packed halves, float) { return halves; }

// (re + i im) *= (c + i s)
__device__ __forceinline__ void multiply(Packed& re, Packed& im, Packed c, Packed s) {
  const Packed real = fma(re, c, neg(mul(im, s)));
  im = fma(re, s, mul(im, c));
  re = real;
}

// (re + i im) *= (c - i s)
__device__ __forceinline__ void multiply_conj(Packed& re, Packed& im, Packed c, Packed s) {
  const Packed real = fma(re, c, mul(im, s));
  im = fma(im, c, neg(mul(re, s)));
  re = real;
}
