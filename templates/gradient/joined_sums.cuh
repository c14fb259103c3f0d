// Sums of tiles that wait in global memory until all pairs are done: the memory adds to them.
#pragma once

#include "memory_adds.cuh"
#include "sums.cuh"

// A lane's more of a tile's.
__device__ __forceinline__ void join_sums(float4* to, int lane, const Sums& more) {
  add_to_sums(to + lane, float4{more.re[0], more.re[1], more.re[2], more.re[3]});
  add_to_sums(to + 32 + lane, float4{more.re[4], more.re[5], more.re[6], more.re[7]});
  add_to_sums(to + 64 + lane, float4{more.im[0], more.im[1], more.im[2], more.im[3]});
  add_to_sums(to + 96 + lane, float4{more.im[4], more.im[5], more.im[6], more.im[7]});
}
