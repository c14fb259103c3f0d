// The complex numbers that a row's samples were made as, in global memory.
#pragma once

#include "global.cuh"

struct GlobalSamples {
  const float2* samples;
  __device__ __forceinline__ float2 load(int i) const { return load_global(samples + i); }
};
