// Addresses in loops whose threads have few registers.
#pragma once

// Keeps what is computed from `value` in a loop from being computed ahead of it, to wait in local memory.
__device__ __forceinline__ void compute_anew(int& value) { asm volatile("" : "+r"(value)); }
