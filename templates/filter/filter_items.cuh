// Parts of a spectrum's row from frequencies that are where any thread finds them, in the convolution's own order.
#pragma once

#include "filter_row.cuh"
#include "order_in_table.cuh"

// Where tiles hold 8 elements or more: eight of a row, 16 bytes of real parts and as many of imaginary parts.
// `frequency(f)` is that of number f in the order. Neighbours take whole sectors of memory, and behind them
// neighbouring tiles, whose frequencies lie together.
template <class Frequencies>
__device__ __forceinline__ void gather_eight(uint4* row, const int* order, int item, SpectrumScale scale,
                                             const Frequencies& frequency) {
  constexpr int tiles = elements / tile, together = tile % 16 == 0 ? 2 : 1;
  const int of_tile = item / together % tiles, chunk = item / (together * tiles) * together + item % together;
  int numbers[8];
  order_of_eight(order, of_tile, chunk, numbers);
  float2 x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = numbers[i] < 0 ? float2{0.0f, 0.0f} : frequency(numbers[i]);
  scale(x);
  store_eight(row + of_tile * (tile / 4) + chunk, x);
}

// Of smaller tiles: 16 bytes, half by half.
template <class Frequencies>
__device__ __forceinline__ void gather_four(uint4* row, const int* order, int item, SpectrumScale scale,
                                            const Frequencies& frequency) {
  float half[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int index = 8 * item + i, number = load_constant(order + index / (2 * tile) * tile + index % tile);
    const float2 x = number < 0 ? float2{0.0f, 0.0f} : scale(frequency(number));
    half[i] = index / tile % 2 == 0 ? x.x : x.y;
  }
  store_global(row + item,
               uint4{pack(half[0], half[1]), pack(half[2], half[3]), pack(half[4], half[5]), pack(half[6], half[7])});
}

constexpr int row_items = tile % 8 == 0 ? elements / 8 : row_chunks;

// Part `item` of a row of the spectrum.
template <class Frequencies>
__device__ __forceinline__ void store_item(uint4* row, const int* order, int item, SpectrumScale scale,
                                           const Frequencies& frequency) {
  if constexpr (tile % 8 == 0)
    gather_eight(row, order, item, scale, frequency);
  else
    gather_four(row, order, item, scale, frequency);
}
