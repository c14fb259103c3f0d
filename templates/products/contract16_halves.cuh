// Radix 16 as products of 8 and a butterfly.
//
// Where the contracted digit comes as its even values in block 0 of a tile's columns and the odd ones in block 1, the
// new digit leaves in its own order: y[k], y[k + 8] = even products +- odd products, which accumulators add up. The
// other way round, where it comes in its own order, sums and differences of its halves make the even and the odd values
// of the new digit.
#pragma once

#include "tile.cuh"

// The matrices of the even and of the odd values, each of 8 x 8 complex numbers as the real matrix [re -im; im re] in
// fragment order. As A operand the registers are the matrix, as B operand, in pairs, its conjugate transpose.
// What is subtracted has a product of its own.
struct Halves {
  Packed even[4], odd[4], minus_odd[4];
};

__device__ __forceinline__ Halves make_halves(const uint4& even, const uint4& odd, const uint4& minus_odd) {
  return {{even.x, even.y, even.z, even.w},
          {odd.x, odd.y, odd.z, odd.w},
          {minus_odd.x, minus_odd.y, minus_odd.z, minus_odd.w}};
}

#include "halves_as_a.cuh"
#include "halves_as_b.cuh"
