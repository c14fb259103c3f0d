// A real row down its columns, and the rows of frequencies that come of it: half of all, the others being their
// conjugates.
//
// Butterflies come first, over real numbers. Of frequency q behind them, products of the tile digit make the rows
// q + butterflies k. Those of q = 0 and of q = butterflies / 2 begin with real numbers, so that the rows k of one half
// are the conjugates of the other's: both fit a tile, q = 0 in columns 0 to 7. Of the q between, rows k of the upper
// half are kept as conjugates, which makes them rows of butterflies - q: all are rows 0 to rows / 2. Row rows / 2 is
// real, as row 0 is. Where it is of q = 0 too, the tile's radix being even, it takes the place of row 0's imaginary
// part. Without a butterfly there are the rows of q = 0 alone, whose parts lie where the samples of as many rows were.
#pragma once

#include "accumulator.cuh"
#include "contract16.cuh"
#include "real_butterfly.cuh"
#include "tiled_real_rows.cuh"
#include "tile.cuh"

constexpr bool real_rows_share = tile_radix % 2 == 0;

// The slot of row `row` of frequencies, up to rows / 2.
__device__ __forceinline__ constexpr int slot_of_frequencies(int row) {
  if (real_rows_share && row == rows / 2) return 0;
  const int q = row % butterflies, k = row / butterflies;
  if (q == 0) return k;
  if (q == butterflies / 2) return slot_stride / 2 + k;
  return q < butterflies / 2 ? q * slot_stride + k : (butterflies - q) * slot_stride + tile_radix - 1 - k;
}

// Register by register, as butterfly_tiles does it for complex numbers.
template <bool inverse, int radix>
__device__ __forceinline__ void butterfly_real_tiles(RealTile (&x)[radix]) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    Packed values[radix];
#pragma unroll
    for (int n = 0; n < radix; ++n) values[n] = x[n].re[e];
    inverse ? butterfly_to_real(values) : butterfly_of_real(values);
#pragma unroll
    for (int n = 0; n < radix; ++n) x[n].re[e] = values[n];
  }
}

// Role A, frequencies 0 and butterflies / 2: x[row][column] of each becomes 8 columns of y[row][new].
__device__ __forceinline__ Tile contract_ends(const MatrixB& f, const RealTile& first, const RealTile& half) {
  Tile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const Packed(&x)[4] = j == 0 ? first.re : half.re;
    Accumulator re, im;
    mma(re, x[0], x[1], x[2], x[3], f.re[2 * j], f.re[2 * j + 1]);
    mma(im, x[0], x[1], x[2], x[3], f.im[2 * j], f.im[2 * j + 1]);
    unload(re, y.re[2 * j], y.re[2 * j + 1]);
    unload(im, y.im[2 * j], y.im[2 * j + 1]);
  }
  return y;
}

// Back: the matrix of frequency 0 is where real parts are, that of butterflies / 2 where imaginary ones are; each
// contracts 8 real and 8 imaginary parts.
__device__ __forceinline__ void contract_to_ends(const MatrixB& f, const Tile& x, RealTile& first, RealTile& half) {
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator of_first, of_half;
    mma(of_first, x.re[0], x.re[1], x.im[0], x.im[1], f.re[2 * j], f.re[2 * j + 1]);
    mma(of_half, x.re[2], x.re[3], x.im[2], x.im[3], f.im[2 * j], f.im[2 * j + 1]);
    unload(of_first, first.re[2 * j], first.re[2 * j + 1]);
    unload(of_half, half.re[2 * j], half.re[2 * j + 1]);
  }
}

// Role A, all of a row without a butterfly: x[row][column] becomes 8 real and 8 imaginary parts of y[row][new].
__device__ __forceinline__ RealTile contract_row(const MatrixB& f, const RealTile& x) {
  Accumulator re, im;
  mma(re, x.re[0], x.re[1], x.re[2], x.re[3], f.re[0], f.re[1]);
  mma(im, x.re[0], x.re[1], x.re[2], x.re[3], f.im[0], f.im[1]);
  RealTile y;
  unload(re, y.re[0], y.re[1]);
  unload(im, y.re[2], y.re[3]);
  return y;
}

// Back, from as many parts.
__device__ __forceinline__ RealTile contract_to_row(const MatrixB& f, const RealTile& x) {
  RealTile y;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Accumulator re;
    mma(re, x.re[0], x.re[1], x.re[2], x.re[3], f.re[2 * j], f.re[2 * j + 1]);
    unload(re, y.re[2 * j], y.re[2 * j + 1]);
  }
  return y;
}

// Changes between columns of the upper half and their conjugates.
__device__ __forceinline__ void conjugate_upper_half(Tile& x, int lane) {
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const int column = 8 * j + 2 * (lane % 4);
    constexpr int upper = (tile_radix + 1) / 2;
    const Packed low = column >= upper ? 0x8000u : 0u, high = column + 1 >= upper ? 0x80000000u : 0u;
    const Packed signs = tile_radix == 16 ? (j == 0 ? 0u : both_signs) : low | high;
    x.im[2 * j] ^= signs, x.im[2 * j + 1] ^= signs;
  }
}

// Role A, a frequency between, whose real and imaginary parts lie apart.
__device__ __forceinline__ Tile contract_between(const MatrixB& f, const RealTile& re, const RealTile& im, int lane) {
  Tile x;
#pragma unroll
  for (int e = 0; e < 4; ++e) x.re[e] = re.re[e], x.im[e] = im.re[e];
  x = contract_as_a<false>(f, x);
  conjugate_upper_half(x, lane);
  return x;
}

__device__ __forceinline__ void contract_to_between(const MatrixB& f, Tile x, RealTile& re, RealTile& im, int lane) {
  conjugate_upper_half(x, lane);
  x = contract_as_a<true>(f, x);
#pragma unroll
  for (int e = 0; e < 4; ++e) re.re[e] = x.re[e], im.re[e] = x.im[e];
}

// A row of frequencies. Rows 0 and rows / 2 are `real`; the `last` of them is where the other has its imaginary part,
// if they share a place.
__device__ __forceinline__ Tile load_frequencies(SharedAddress from, bool real, bool last) {
  const bool imaginary = real_rows_share && last;
  Tile x;
  load_blocks_transposed(from + (imaginary ? plane_bytes : 0), x.re[0], x.re[1], x.re[2], x.re[3]);
  if (!imaginary) load_blocks_transposed(from + plane_bytes, x.im[0], x.im[1], x.im[2], x.im[3]);
#pragma unroll
  for (int e = 0; e < 4; ++e)
    if (real) x.im[e] = 0;
  return x;
}

__device__ __forceinline__ void store_frequencies(SharedAddress to, const Tile& x, bool real, bool last) {
  store_blocks_transposed(to + (real_rows_share && last ? plane_bytes : 0), x.re[0], x.re[1], x.re[2], x.re[3]);
  if (!real) store_blocks_transposed(to + plane_bytes, x.im[0], x.im[1], x.im[2], x.im[3]);
}

// What gradients' sums take of a row: all, but half of those that are their own mirrors, for what is made of sums adds
// up every frequency and its mirror.
__device__ __forceinline__ Tile weighed(const Tile& x, bool real) {
  return times_power(x, real ? 0x38003800u : 0x3c003c00u);  // 0.5, 1
}
