// A warp's columns: products of 16 down them, between samples as they lie in memory and matrix operands.
//
// A lane reads `columns_per_lane` neighbouring samples of a row, at column columns_per_lane * (lane/4), from rows
// 2 (lane%4) + {0, 1, 8, 9} of a tile: sample t of two rows makes half of a B operand of 8 columns, columns_per_lane
// apart. The accumulators then hold rows lane/4 and lane/4 + 8, and of each 2 * columns_per_lane neighbouring samples
// from column 2 * columns_per_lane * (lane%4) on: what goes out is as wide as what came in.
#pragma once

#include "column_words.cuh"
#include "mma_acc32.cuh"

// Whether rows 8 h to 8 h + 7 of frequency tile b lie in the upper half of the frequencies.
__device__ constexpr bool is_mirrored(int b, int h) { return 2 * b + h >= butterflies; }

// Words that a lane reads of a row: of one sample, half a word.
constexpr int column_words = (columns_per_lane + 1) / 2;

// On the way in, re[2 t + j]: rows 2 (lane%4) + 8 j and the next, sample t. On the way out, re[columns_per_lane h + w]:
// row lane/4 + 8 h, word w.
struct ColumnTile {
  Packed re[2 * columns_per_lane], im[2 * columns_per_lane];
};

// A 16 x 16 matrix as A operand: real and imaginary parts, or two real matrices for the two parts of what it is given.
struct ColumnMatrix {
  uint4 first, second;
};

__device__ __forceinline__ ColumnMatrix read_column_matrix(const uint4* from, int lane) {
  return {load_constant(from + lane), load_constant(from + 32 + lane)};
}

__device__ __forceinline__ void multiply_block(Accumulator32& d, const uint4& f, Packed b0, Packed b1) {
  mma(d, f.x, f.y, f.z, f.w, b0, b1);
}

__device__ __forceinline__ uint4 negative(const uint4& f) { return make_uint4(neg(f.x), neg(f.y), neg(f.z), neg(f.w)); }

constexpr int samples_at_once = columns_per_lane > 1 ? 2 : 1;

// Accumulators of samples t and t + 1 (one sample a lane: of t alone) as words of the rows `upper` and `lower`.
__device__ __forceinline__ void unload_columns(const Accumulator32 (&d)[samples_at_once], int t, Packed* upper,
                                               Packed* lower) {
  if constexpr (columns_per_lane == 1) {
    unload(d[0], upper[0], lower[0]);
  } else {
    const int near = t / 2, far = columns_per_lane / 2 + t / 2;
    upper[near] = pack(d[0].value[0], d[1].value[0]), upper[far] = pack(d[0].value[1], d[1].value[1]);
    lower[near] = pack(d[0].value[2], d[1].value[2]), lower[far] = pack(d[0].value[3], d[1].value[3]);
  }
}

// Words of two rows, sample by sample, as rows of half j.
__device__ __forceinline__ void make_columns(Packed* to, int j, const Words<column_words>& upper,
                                             const Words<column_words>& lower) {
#pragma unroll
  for (int t = 0; t < columns_per_lane; ++t)
    to[2 * t + j] = t % 2 == 0 ? low_halves(upper.word[t / 2], lower.word[t / 2])
                               : high_halves(upper.word[t / 2], lower.word[t / 2]);
}

// The same from the workspace.
__device__ __forceinline__ void load_columns(Packed* to, int j, const unsigned short* upper,
                                             const unsigned short* lower) {
  if constexpr (columns_per_lane == 1) {
    to[j] = low_halves(load_global(upper), load_global(lower));
  } else {
    make_columns(to, j, load_words<column_words>(upper), load_words<column_words>(lower));
  }
}
