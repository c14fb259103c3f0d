// Radix 2 over the register index of real numbers: their sum and their difference; and back, from those halved, to half
// of x.
#pragma once

#include "packed.cuh"

__device__ __forceinline__ void butterfly_of_real(Packed (&x)[2]) {
  const Packed difference = sub(x[0], x[1]);
  x[0] = add(x[0], x[1]), x[1] = difference;
}

__device__ __forceinline__ void butterfly_to_real(Packed (&x)[2]) { butterfly_of_real(x); }
