// The twiddle between columns and rows of a split plan, exp(-2 pi i f m / N): f the row's frequency, m the sample.
//
// A block stays on one f. With m = 256 A + r and the frequency k of the row's outer digits, the part of r goes together
// with the rows' own twiddle exp(-2 pi i k r / M) into exp(-2 pi i (f + R k) r / N), a table of the block's own; that
// of A, one root for each, is applied where samples come in and go out. Roots are made in fp32.
#pragma once

#include "conversions.cuh"
#include "stored_tile.cuh"
#include "tile.cuh"
#include "unit_root.cuh"

// The roots of two exponents.
struct PackedRoots {
  Packed re, im;
};

__device__ __forceinline__ PackedRoots packed_roots(float2 low, float2 high) {
  return {pack(low.x, high.x), pack(low.y, high.y)};
}

__device__ __forceinline__ float2 times(float2 a, float2 b) {
  return make_float2(fmaf(a.x, b.x, -(a.y * b.y)), fmaf(a.x, b.y, a.y * b.x));
}

// exp(-2 pi i frequency (16 n2 + n3) / N) for the elements [n3][n2] of a tile: `take` is given those of each register.
template <class Take>
__device__ __forceinline__ void each_split_root(int frequency, int lane, Take take) {
  const float2 of_row[2] = {unit_root<transform_length>(frequency * (lane / 4)),
                            unit_root<transform_length>(frequency * (lane / 4 + 8))};
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const int column = 8 * j + 2 * (lane % 4);
    const float2 low = unit_root<transform_length>(16 * frequency * column);
    const float2 high = unit_root<transform_length>(16 * frequency * (column + 1));
#pragma unroll
    for (int h = 0; h < 2; ++h) take(2 * j + h, times(of_row[h], low), times(of_row[h], high));
  }
}

__device__ __forceinline__ Tile split_twiddle(int frequency, int lane) {
  Tile twiddle;
  each_split_root(frequency, lane, [&](int e, float2 low, float2 high) {
    const PackedRoots roots = packed_roots(low, high);
    twiddle.re[e] = roots.re, twiddle.im[e] = roots.im;
  });
  return twiddle;
}
