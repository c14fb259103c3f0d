// The same arithmetic on one fp32 value, for stages that round once.
#pragma once

__device__ __forceinline__ float add(float a, float b) { return a + b; }
__device__ __forceinline__ float sub(float a, float b) { return a - b; }
__device__ __forceinline__ float neg(float a) { return -a; }
__device__ __forceinline__ float add_half_root(float a, float b) { return fmaf(b, 0.70710678f, a); }
__device__ __forceinline__ float sub_half_root(float a, float b) { return fmaf(b, -0.70710678f, a); }
__device__ __forceinline__ float mul(float a, float b) { return a * b; }

__device__ __forceinline__ float multiply_then_add(float a, float b, float c) { return fmaf(a, b, c); }
__device__ __forceinline__ constexpr float constant_like(float, unsigned int, float value) { return value; }
