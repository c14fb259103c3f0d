// The rows of a long transform at a right angle where each holds whole tiles of a convolution's row: they go from the
// block's memory to the spectrum, in its order.
//
// Row c of the transform has frequencies c + column_points k, which the spectrum's row c % rows holds in tiles c /
// rows, that + parts and so on.
#pragma once

#include "banks_together.cuh"
#include "filter_columns.cuh"
#include "tile_order.cuh"

constexpr int parts = column_points / rows;   // of a spectrum row
constexpr int row_tiles = row_points / tile;  // of a part
constexpr int tile_items = tile / 8, tile_chunks = tile / 4;
static_assert(tile == 256, "a tile is 16 x 16");
using Rows = Lines<row_points, rows_at_once>;

// Rows next to each other.
struct RowSet {
  static constexpr bool is_shared = false;
  const float2* place;

  __device__ __forceinline__ RowSet(const float2* transform, int row) : place(transform + 1LL * row * row_points) {}
  __device__ __forceinline__ float2 load(int number, int offset) const {
    return load_streamed(place + number % rows_at_once * row_points + number / rows_at_once + offset / rows_at_once);
  }
};

// Eight frequencies of a tile. Neighbours have neighbouring tiles, whose frequencies are neighbours, and behind them
// the other half of a sector of memory.
struct TileItem {
  int line, of_part, chunk;  // row, tile, and which of the tile's eights

  __device__ __forceinline__ explicit TileItem(int item) {
    constexpr int together = banks_together(row_tiles), sets = row_tiles / together;
    const int set = item / (2 * together), pair = set / sets;
    of_part = set % sets * together + item % together;
    chunk = pair % (tile_items / 2) * 2 + item / together % 2;
    line = pair / (tile_items / 2);
  }
};

// From the frequencies of rows from `row` on in the array to the spectrum; the largest magnitude of this thread's.
__device__ __forceinline__ float finish(const SharedArray& array, int row, SpectrumScale scale, uint4* spectrum) {
  constexpr int apart = row_tiles * rows_at_once;  // between a tile's frequencies
  LargestMagnitude largest;
  for (int i = thread_number(); i < Rows::numbers / 8; i += threads) {
    const TileItem item(i);
    const Places<apart, is_power_of_two(apart)> from(
        array.address, inner_of(8 * item.chunk) * apart + item.of_part * rows_at_once + item.line);
    float2 x[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      x[j] = load_complex(from[inner_of(j)]);
      largest.join(x[j]);
    }
    scale(x);
    const int of_line = row + item.line, tile_number = of_line / rows + parts * item.of_part;
    store_eight(spectrum + 1LL * (of_line % rows) * row_chunks + tile_number * tile_chunks + item.chunk, x);
  }
  return largest.or_else([&] {
    float magnitude = 0.0f;
    for (int number = threadIdx.x; number < Rows::numbers; number += threads) {
      const float2 x = array.load(number);
      magnitude = fmaxf(magnitude, hypotf(x.x, x.y));
    }
    return magnitude;
  });
}

// The exponent of a scale at which fp16 holds every frequency where the columns have no larger real or imaginary part:
// it is a sum of row_points values under roots, below 2^15.5.
__device__ __forceinline__ int safe_exponent(float largest_part) {
  int e = 0;
  if (largest_part > 0.0f && largest_part <= 3.402823466e+38f) {
    frexp(gain * largest_part, &e);
    for (int terms = 1; terms < row_points; terms *= 2) ++e;
    e -= 15;
  }
  return e;
}

// Eight halves times 2^exponent: by halves where these hold the power, else in two factors that float32 can hold.
struct TimesPowerOfTwo {
  bool by_halves;
  Packed power;
  float first, second;
  __device__ __forceinline__ explicit TimesPowerOfTwo(int exponent)
      : by_halves(exponent >= -24 && exponent <= 15),
        first(ldexpf(1.0f, exponent / 2)),
        second(ldexpf(1.0f, exponent - exponent / 2)) {
    power = pack(first * second, first * second);
  }
  __device__ __forceinline__ Packed operator()(Packed two) const {
    return by_halves ? mul(two, power) : pack(low_half(two) * first * second, high_half(two) * first * second);
  }
  __device__ __forceinline__ uint4 operator()(uint4 eight) const {
    return {(*this)(eight.x), (*this)(eight.y), (*this)(eight.z), (*this)(eight.w)};
  }
};
