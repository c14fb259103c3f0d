// Parts of a spectrum's row from frequencies that are where any thread finds them, in the convolution's own order.
#pragma once

#include "filter_row.cuh"

// Where tiles hold 8 elements or more: eight of a row, 16 bytes of real parts and as many of imaginary parts.
// `frequency(f)` is that of number f in the order. Neighbours take whole sectors of memory, and behind them
// neighbouring tiles, whose frequencies lie together.
template <class Frequencies>
__device__ __forceinline__ void store_eight(uint4* row, const int* order, int item, SpectrumScale scale,
                                            const Frequencies& frequency) {
  constexpr int tiles = elements / tile, together = tile % 16 == 0 ? 2 : 1;
  const int of_tile = item / together % tiles, chunk = item / (together * tiles) * together + item % together;
  const uint4* const from = reinterpret_cast<const uint4*>(order + of_tile * tile + 8 * chunk);
  const uint4 a = load_constant(from), b = load_constant(from + 1);
  const unsigned int numbers[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  float2 x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int number = static_cast<int>(numbers[i]);
    x[i] = number < 0 ? float2{0.0f, 0.0f} : scale(frequency(number));
  }
  uint4* const to = row + of_tile * (tile / 4) + chunk;
  store_global(to, uint4{pack(x[0].x, x[1].x), pack(x[2].x, x[3].x), pack(x[4].x, x[5].x), pack(x[6].x, x[7].x)});
  store_global(to + tile / 8,
               uint4{pack(x[0].y, x[1].y), pack(x[2].y, x[3].y), pack(x[4].y, x[5].y), pack(x[6].y, x[7].y)});
}

// Of smaller tiles: 16 bytes, half by half.
template <class Frequencies>
__device__ __forceinline__ void store_four(uint4* row, const int* order, int item, SpectrumScale scale,
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
    store_eight(row, order, item, scale, frequency);
  else
    store_four(row, order, item, scale, frequency);
}
