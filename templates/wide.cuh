// The same arithmetic on one fp32 value, for stages that round once.
#pragma once

__device__ __forceinline__ float add(float a, float b) { return a + b; }
__device__ __forceinline__ float sub(float a, float b) { return a - b; }
__device__ __forceinline__ float neg(float a) { return -a; }
__device__ __forceinline__ float times_half_root(float a) { return a * 0.70710678f; }
