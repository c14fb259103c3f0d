// Sums in global memory that the memory adds to. One thread alone adds to each, so that their order is that of its
// pairs.
#pragma once

#include "global.cuh"

#if defined(FFC_HOST) || __CUDA_ARCH__ < 900
__device__ __forceinline__ void add_to_sums(float4* to, const float4& more) {
  const float4 sum = load_global(to);
  store_global(to, float4{sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w});
}
#else
#include "add_to_sums.cuh"
#endif
