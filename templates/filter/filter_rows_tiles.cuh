// The rows of a long transform at a right angle where each holds whole tiles of a convolution's row: they go from the
// registers of their last pass to the spectrum, in its order.
//
// Row c of the transform has frequencies c + column_points k, which the spectrum's row c % rows holds in tiles c /
// rows, that + parts and so on.
#pragma once

#include "filter_columns.cuh"
#include "tile_order.cuh"

constexpr int parts = column_points / rows;   // of a spectrum row
constexpr int row_tiles = row_points / tile;  // of a part
constexpr int tile_chunks = tile / 4;
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

// The exponent of a scale at which fp16 holds every frequency where the columns have no larger real or imaginary part:
// it is a sum of row_points values under roots, below 2^15.5, and at least 1. It exceeds no exponent that the
// spectrum may have by more than fp16 can make up for.
__device__ __forceinline__ int safe_exponent(float largest_part) {
  int e = 0;
  if (largest_part > 0.0f && largest_part <= 3.402823466e+38f) {
    frexp(gain * largest_part, &e);
    for (int terms = 1; terms < row_points; terms *= 2) ++e;
    e -= 15;
  }
  return max(e, least_exponent - output_exponent - 15);
}

// A butterfly of the last pass, whose 16 outputs are a tile's frequencies `inner` + 16 q. Of two neighbours one has
// what lies 8 behind the other's: together they fill two sectors of memory, real and imaginary parts each.
struct TileButterfly {
  static constexpr int radix = 16, done = row_points / radix, count = Rows::numbers / radix;
  int line, of_part, inner;  // row, tile of its part

  __device__ __forceinline__ explicit TileButterfly(int number) {
    const int other = number / 16;
    line = other % rows_at_once, of_part = other / rows_at_once;
    inner = number / 2 % 8 + number % 2 * 8;
  }
  __device__ __forceinline__ int first() const { return (inner * row_tiles + of_part) * rows_at_once + line; }

  template <class Frequencies>
  __device__ __forceinline__ void outputs(float2 (&x)[radix], const SharedArray& array,
                                          const Frequencies& frequencies) const {
#pragma unroll
    for (int p = 0; p < radix; ++p) x[p] = load_number<count, is_power_of_two(count)>(array, first(), p);
    frequencies.template turn<radix, done>(x, inner * row_tiles + of_part, line);
    butterfly(x);
  }
};
static_assert(inner_of(2) == 8 && inner_of(1) == 16 && inner_of(8) == 32 && inner_of(16) == 64 && inner_of(4) == 128,
              "neighbours have every other two of four neighbouring eights of a tile");

// Two neighbours' halves of two eights: this one gets the whole of its own, of real or imaginary parts. Eight i has its
// first two elements, or those behind, in low[i], and the two that are 4 behind them in high[i].
__device__ __forceinline__ uint4 whole_eight(const Packed (&low)[2], const Packed (&high)[2], bool second) {
  const Packed other_low = exchanged(second ? low[0] : low[1], 1),
               other_high = exchanged(second ? high[0] : high[1], 1);
  const Packed own_low = second ? low[1] : low[0], own_high = second ? high[1] : high[0];
  return second ? uint4{other_low, own_low, other_high, own_high} : uint4{own_low, other_low, own_high, other_high};
}

// A butterfly's outputs, and its neighbour's, to a tile: outputs q, q + 1, q + 8 and q + 9 are of one eight.
__device__ __forceinline__ void store_outputs(const float2 (&x)[16], const TileButterfly& at, bool exists,
                                              uint4* tile_at) {
  const bool second = at.inner >= 8;
#pragma unroll
  for (int pair = 0; pair < 2; ++pair) {
    Packed re_low[2], re_high[2], im_low[2], im_high[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int q = 4 * pair + 2 * i;
      re_low[i] = pack(x[q].x, x[q + 1].x), re_high[i] = pack(x[q + 8].x, x[q + 9].x);
      im_low[i] = pack(x[q].y, x[q + 1].y), im_high[i] = pack(x[q + 8].y, x[q + 9].y);
    }
    const uint4 re = whole_eight(re_low, re_high, second), im = whole_eight(im_low, im_high, second);
    uint4* const to = tile_at + at.inner % 8 * 4 + 2 * pair + (second ? 1 : 0);
    if (exists) store_global(to, re), store_global(to + tile / 8, im);
  }
}

// The last pass of rows from `row` on: from the array to the spectrum. The largest magnitude that this thread stores.
template <class Frequencies>
__device__ __forceinline__ float finish(const SharedArray& array, int row, const Frequencies& frequencies,
                                        SpectrumScale scale, uint4* spectrum) {
  constexpr int count = TileButterfly::count;
  float square = 0.0f;
#pragma unroll
  for (int first = 0; first < count; first += threads) {
    const int number = first + thread_number();
    const bool exists = count % threads == 0 || number < count;
    const TileButterfly at(exists ? number : number % 2);  // neighbours exchange, there or not
    float2 x[16];
    at.outputs(x, array, frequencies);
    scale(x);
#pragma unroll
    for (int q = 0; q < 16; ++q) square = fmaxf(square, fmaf(x[q].x, x[q].x, x[q].y * x[q].y));
    const int of_line = row + at.line, tile_number = of_line / rows + parts * at.of_part;
    store_outputs(x, at, exists, spectrum + 1LL * (of_line % rows) * row_chunks + tile_number * tile_chunks);
  }
  return sqrtf(square);
}
