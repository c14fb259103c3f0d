// The larger one of two floats, which a NaN is.
#pragma once

#ifndef FFC_HOST  // the host has a twin of this

__device__ __forceinline__ float larger_or_nan(float a, float b) {
  float d;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));
  return d;
}

#endif
