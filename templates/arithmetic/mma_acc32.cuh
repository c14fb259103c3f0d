// Matrix products m16n8k16 with fp32 accumulation.
#pragma once

#include "conversions.cuh"

// Accumulator32 of one 16 x 8 product: rows lane/4 and lane/4 + 8, columns 2 (lane%4) and the next.
struct Accumulator32 {
  float value[4] = {0, 0, 0, 0};
};

#ifndef FFC_HOST  // the host has twins of these

// d += a b with a 16 x 16 and b 16 x 8.
__device__ __forceinline__ void mma(Accumulator32& d, Packed a0, Packed a1, Packed a2, Packed a3, Packed b0,
                                    Packed b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d.value[0]), "+f"(d.value[1]), "+f"(d.value[2]), "+f"(d.value[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

#endif

// The two packed rows of an accumulator.
__device__ __forceinline__ void unload(const Accumulator32& d, Packed& upper, Packed& lower) {
  upper = pack(d.value[0], d.value[1]);
  lower = pack(d.value[2], d.value[3]);
}
