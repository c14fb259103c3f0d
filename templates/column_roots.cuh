// The twiddle between columns and rows, exp(-2 pi i f m / N) with f the row's frequency, 0 to R / 2, and m the column.
//
// Row k = k1 + 16 b, k1 one of a lane's rows of a tile, has the frequency k, or, in the upper half, R - k: the
// workspace holds the conjugate there. Roots of one k1 follow from those of b = 0 by a power of exp(-2 pi i 16 m / N),
// and those of neighbouring columns by one of m = 1: recurrences in fp32.
#pragma once

#include "unit_root.cuh"

__device__ __forceinline__ float2 times(float2 a, float2 b) {
  return make_float2(fmaf(a.x, b.x, -(a.y * b.y)), fmaf(a.x, b.y, a.y * b.x));
}
__device__ __forceinline__ float2 times_conjugate(float2 a, float2 b) {
  return make_float2(fmaf(a.x, b.x, a.y * b.y), fmaf(a.y, b.x, -(a.x * b.y)));
}

// Roots of one column for rows `row` and row + 8 of a tile.
struct ColumnRoots {
  float2 lower[2];  // of frequencies row + 8 h
  float2 upper[2];  // of frequencies 16 - row - 8 h
  float2 advance;   // from one tile of frequencies to the next
};

__device__ __forceinline__ ColumnRoots column_roots(int row, int column) {
  ColumnRoots roots;
  roots.advance = unit_root<transform_length>(16 * column);
  roots.lower[0] = unit_root<transform_length>(row * column);
  roots.lower[1] = times(roots.lower[0], unit_root<transform_length>(8 * column));
#pragma unroll
  for (int h = 0; h < 2; ++h) roots.upper[h] = times_conjugate(roots.advance, roots.lower[h]);
  return roots;
}

__device__ __forceinline__ void advance(float2& power, const ColumnRoots& roots) { power = times(power, roots.advance); }

// Whether rows 8 h to 8 h + 7 of tile b lie in the upper half.
__device__ constexpr bool is_mirrored(int b, int h) { return 2 * b + h >= butterflies; }
