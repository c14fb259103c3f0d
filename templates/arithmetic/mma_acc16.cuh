// Matrix products m16n8k16 with fp16 accumulation.
#pragma once

#include "packed.cuh"

// Accumulator16 of one 16 x 8 product: rows lane/4 and lane/4 + 8, columns 2 (lane%4) and the next.
struct Accumulator16 {
  Packed value[2] = {0, 0};
};

#ifndef FFC_HOST  // the host has twins of these

// d += a b with a 16 x 16 and b 16 x 8.
__device__ __forceinline__ void mma(Accumulator16& d, Packed a0, Packed a1, Packed a2, Packed a3, Packed b0,
                                    Packed b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d.value[0]), "+r"(d.value[1])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

#endif

// The two packed rows of an accumulator.
__device__ __forceinline__ void unload(const Accumulator16& d, Packed& upper, Packed& lower) {
  upper = d.value[0];
  lower = d.value[1];
}
