// a +- sqrt(1/2) b, rounded once.
#pragma once

#include "packed.cuh"

__device__ __forceinline__ Packed add_half_root(Packed a, Packed b) { return fma(b, 0x39a839a8u, a); }
__device__ __forceinline__ Packed sub_half_root(Packed a, Packed b) { return fma(b, 0xb9a8b9a8u, a); }
