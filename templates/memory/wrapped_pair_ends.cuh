// Ends of a pair's delayed rows that fill half of the transform: up to 7 samples behind its first half. They are in the
// ninth row of 256 samples, which sums of 16 down a column have with the factors 1 and -1 in turns. So are results.
#pragma once

#include "conversions.cuh"
#include "exchanged.cuh"
#include "shared_words.cuh"
#include "tile.cuh"

constexpr int points = rows / 2 * row_samples;  // of which samples are taken in whole tiles

// The ends of both rows in memory, 8 samples of each tensor, of which those that do not exist are zero. Those of the
// pair that comes next have a place of their own.
enum class EndOf { u, dy, w, v };
static_assert(ends_bytes == 2 * 4 * 16, "the host keeps two chunks of each tensor");

struct WrappedEnds {
  SharedAddress at;

  __device__ __forceinline__ SharedAddress of(EndOf tensor, int part) const {
    return at + 16 * (2 * static_cast<int>(tensor) + part);
  }

  // The sample that this lane's columns have, as both halves.
  __device__ __forceinline__ Packed sample(EndOf tensor, int part, int lane) const {
    return 0x10001u * load_shared2(of(tensor, part) + 2 * (lane / 4));
  }
};

__device__ __forceinline__ WrappedEnds wrapped_ends(SharedAddress shared, int group, int pair) {
  return {shared + ends_offset + ends_bytes * (2 * group + pair / groups % 2)};
}

// Samples behind the first half, one for each of the first 8 columns of the tile, to all frequencies; a register has an
// even frequency and the odd one behind it.
template <int radix>
__device__ __forceinline__ void add_end(Tile (&x)[1], int part, Packed sample) {
  static_assert(radix == 16, "half of the transform is a row of samples");
  const Packed end = mul(sample, pack(end_scale, -end_scale));
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    Packed& frequencies = part == 0 ? x[0].re[2 * j] : x[0].im[2 * j];
    frequencies = add(frequencies, end);
  }
}

// Results behind the first half, of the same columns, as both halves; four lanes have each.
template <int radix>
__device__ __forceinline__ Packed end_of(const Tile (&x)[1], int part) {
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const Packed frequencies = part == 0 ? x[0].re[2 * j] : x[0].im[2 * j];
    sum += low_half(frequencies) - high_half(frequencies);
  }
#pragma unroll
  for (int step = 1; step < 4; step *= 2) sum += __uint_as_float(exchanged(__float_as_uint(sum), step));
  return pack(end_scale * sum, end_scale * sum);
}
