// The numbers of a row's order, from its table.
#pragma once

// Eight of them, from element 8 * chunk of a tile on.
__device__ __forceinline__ void order_of_eight(const int* order, int of_tile, int chunk, int (&numbers)[8]) {
  const uint4* const from = reinterpret_cast<const uint4*>(order + of_tile * tile + 8 * chunk);
  const uint4 a = load_constant(from), b = load_constant(from + 1);
  const unsigned int words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
  for (int i = 0; i < 8; ++i) numbers[i] = static_cast<int>(words[i]);
}
