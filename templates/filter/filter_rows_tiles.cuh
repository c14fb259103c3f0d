// The rows of a long transform at a right angle where each holds whole tiles of a convolution's row: they go from the
// registers of their last pass to the spectrum, in its order.
//
// Row c of the transform has frequencies c + column_points k, which the spectrum's row c % rows holds in tiles c /
// rows, that + parts and so on.
#pragma once

#include "packed_columns.cuh"
#include "tile_outputs.cuh"

constexpr int parts = column_points / rows;  // of a spectrum row

// The exponent of a scale at which fp16 holds every frequency where the columns have no larger real or imaginary part:
// it is a sum of row_points values under roots, below 2^15.5. At most 15 below the least exponent that the spectrum's
// scale may have, so that fp16 holds the power of two between them.
__device__ __forceinline__ int safe_exponent(float largest_part) {
  int e = 0;
  if (largest_part > 0.0f && largest_part <= 3.402823466e+38f) {
    frexp(gain * largest_part, &e);
    for (int terms = 1; terms < row_points; terms *= 2) ++e;
    e -= 15;
  }
  return max(e, least_exponent - output_exponent - 15);
}

// The last pass of rows from `row` on: from the array to the spectrum. The largest magnitude that this thread stores.
template <class Frequencies>
__device__ __forceinline__ float finish(const SharedArray& array, int row, const Frequencies& frequencies,
                                        SpectrumScale scale, uint4* spectrum) {
  float square = 0.0f;
#pragma unroll
  for (int first = 0; first < TileButterfly<Rows>::count; first += threads) {
    const TileButterfly<Rows> at(first + thread_number());
    float2 x[16];
    at.outputs(x, array, frequencies);
    scale(x);
#pragma unroll
    for (int q = 0; q < 16; ++q) square = fmaxf(square, fmaf(x[q].x, x[q].x, x[q].y * x[q].y));
    const int of_line = row + at.line, tile_number = of_line / rows + parts * at.of_part;
    at.store(x, spectrum + 1LL * (of_line % rows) * row_chunks + tile_number * tile_chunks);
  }
  return sqrtf(square);
}
