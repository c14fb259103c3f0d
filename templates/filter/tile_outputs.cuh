// The last pass of a transform, of radix 16, from the array to tiles of a convolution's spectrum at a right angle.
//
// Tile t of a line has frequencies t + tiles (inner + 16 q), where q counts the outputs of a butterfly. The tile has
// them as fragments do: 32 lanes, each with eight in a row, of two values of inner and four of q.
#pragma once

#include "block_transform.cuh"
#include "exchanged.cuh"
#include "filter_row.cuh"

constexpr int tile_chunks = tile / 4;
static_assert(tile == 256, "a tile is 16 x 16");

// The first of two neighbouring outputs in eight `eight`, of the four that follow each other there, and in its first
// or second half.
//[[outputs
__device__ __forceinline__ constexpr int output_of(int eight, int half) { return 2 * eight + 8 * half; }
//]]

// Two neighbours' halves of two eights, of real or imaginary parts: this one gets the whole of its own. words[i][h] are
// two of eight i, in its half h.
__device__ __forceinline__ uint4 whole_eight(const Packed (&words)[2][2], bool second) {
  Packed own[2], other[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    own[half] = second ? words[1][half] : words[0][half];
    other[half] = exchanged(second ? words[0][half] : words[1][half], 1);
  }
  return second ? uint4{other[0], own[0], other[1], own[1]} : uint4{own[0], other[0], own[1], other[1]};
}

// A thread's butterfly. Of two neighbours one has `inner`, the other 8 more: together they have whole sectors of
// memory.
template <class Of>
struct TileButterfly {
  static constexpr int radix = 16, count = Of::numbers / radix, row_tiles = Of::size / tile;
  bool exists;  // a neighbour exchanges, there or not
  int line, of_part, inner;

  __device__ __forceinline__ explicit TileButterfly(int thread) : exists(count % threads == 0 || thread < count) {
    const int number = exists ? thread : thread % 2, other = number / 16;
    line = other % Of::lines, of_part = other / Of::lines;
    inner = number / 2 % 8 + number % 2 * 8;
  }

  template <class Frequencies>
  __device__ __forceinline__ void outputs(float2 (&x)[radix], const SharedArray& array,
                                          const Frequencies& frequencies) const {
    const int k = inner * row_tiles + of_part;
#pragma unroll
    for (int p = 0; p < radix; ++p) x[p] = load_number<count, is_power_of_two(count)>(array, k * Of::lines + line, p);
    frequencies.template join<radix, Of::size / radix>(x, k, line);
  }

  __device__ __forceinline__ void store(const float2 (&x)[radix], uint4* tile_at) const {
    const bool second = inner >= 8;
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      Packed re[2][2], im[2][2];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int q = output_of(2 * pair + i / 2, i % 2);
        re[i / 2][i % 2] = pack(x[q].x, x[q + 1].x), im[i / 2][i % 2] = pack(x[q].y, x[q + 1].y);
      }
      const uint4 whole_re = whole_eight(re, second), whole_im = whole_eight(im, second);
      uint4* const to = tile_at + inner % 8 * 4 + 2 * pair + (second ? 1 : 0);
      if (exists) store_global(to, whole_re), store_global(to + tile / 8, whole_im);
    }
  }
};
