// How large samples of bf16 are, two at a time: their bits without the signs, in the order of their values.
#pragma once

#include "largest_of_warp.cuh"
#include "packed.cuh"

#ifndef FFC_HOST  // the host has twins of these

// The larger of the low halves, and of the high ones.
__device__ __forceinline__ Packed larger_halves(Packed a, Packed b) { return __vmaxu2(a, b); }

// The larger magnitudes of two bf16. Their signs mean nothing. Never of a product and what is known to be zero: ptxas
// 13.0 makes the product's positive part of these.
__device__ __forceinline__ Packed larger_magnitudes(Packed a, Packed b) {
#if __CUDA_ARCH__ >= 860
  Packed d;
  asm("max.NaN.xorsign.abs.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
#else
  return __vmaxu2(a & 0x7fff7fffu, b & 0x7fff7fffu);
#endif
}

#endif

__device__ __forceinline__ Packed magnitudes(Packed stored) { return stored & 0x7fff7fffu; }

// Those of `count` words. Halves of them do not wait for each other.
template <int count>
__device__ __forceinline__ Packed largest_magnitudes(const Packed* words) {
  if constexpr (count == 1)
    return *words;
  else
    return larger_magnitudes(largest_magnitudes<count / 2>(words),
                             largest_magnitudes<count - count / 2>(words + count / 2));
}

// The larger one of two.
__device__ __forceinline__ unsigned int larger_of_both(Packed two) { return max(two & 0xffffu, two >> 16); }
