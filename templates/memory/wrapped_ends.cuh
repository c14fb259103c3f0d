// Ends of delayed rows at a right angle, which lie behind the last point, P, by up to 7 samples. As x^P = -i, the
// sample at P + c comes round to the imaginary part of point c, with the other sign; and so do results. These points
// are in the first row of 256 samples, which every sum down a column has with the factor 1.
#pragma once

#include "below_radix.cuh"
#include "conversions.cuh"
#include "exchanged.cuh"
#include "shared_words.cuh"
#include "tile.cuh"

constexpr int points = rows * row_samples;  // P

// The ends of a row in memory, 8 samples of each tensor, of which those that do not exist are zero. Those of the row
// that comes next have a place of their own.
enum class EndOf { u, dy, w, v };
static_assert(ends_bytes == 4 * 16, "the host keeps a chunk of each tensor");

struct WrappedEnds {
  SharedAddress at;

  __device__ __forceinline__ SharedAddress of(EndOf tensor) const { return at + 16 * static_cast<int>(tensor); }

  // The sample that this lane's columns have, as both halves.
  __device__ __forceinline__ Packed sample(EndOf tensor, int lane) const {
    return 0x10001u * load_shared2(of(tensor) + 2 * (lane / 4));
  }
};

__device__ __forceinline__ WrappedEnds wrapped_ends(SharedAddress shared, int group, int pair) {
  return {shared + ends_offset + ends_bytes * (2 * group + pair / groups % 2)};
}

// Samples behind the last point, one for each of the first 8 columns of the tiles, to all frequencies.
template <int radix, int values>
__device__ __forceinline__ void add_end(Tile (&x)[values], Packed sample, int lane) {
  const Packed end = mul(sample, pack(end_scale, end_scale));
#pragma unroll
  for (int a = 0; a < values; ++a)
#pragma unroll
    for (int j = 0; j < 2; ++j) x[a].im[2 * j] = sub(x[a].im[2 * j], below_radix<radix>(end, j, lane));
}

// Results behind the last point, of the same columns, as both halves; four lanes have each.
template <int radix, int values>
__device__ __forceinline__ Packed end_of(const Tile (&x)[values], int lane) {
  float sum = 0;
#pragma unroll
  for (int a = 0; a < values; ++a)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const Packed of_two = below_radix<radix>(x[a].im[2 * j], j, lane);
      sum += low_half(of_two) + high_half(of_two);
    }
#pragma unroll
  for (int step = 1; step < 4; step *= 2) sum += __uint_as_float(exchanged(__float_as_uint(sum), step));
  return pack(-end_scale * sum, -end_scale * sum);
}

// The same of a row that a warp holds as tiles of 256 points, the first 8 of which every fourth lane has in low halves.
template <int values>
__device__ __forceinline__ void add_end_to_rows(Tile (&x)[values], Packed sample, int lane) {
  const Packed end = lane % 4 == 0 ? mul(sample, pack(end_scale, end_scale)) & 0xffff : 0;
#pragma unroll
  for (int a = 0; a < values; ++a) x[a].im[0] = sub(x[a].im[0], end);
}

template <int values>
__device__ __forceinline__ Packed end_of_rows(const Tile (&x)[values]) {
  float sum = 0;
#pragma unroll
  for (int a = 0; a < values; ++a) sum += low_half(x[a].im[0]);
  return pack(-end_scale * sum, -end_scale * sum);
}
