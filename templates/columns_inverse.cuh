// Columns from frequencies to samples, in the registers of a warp.
#pragma once

#include "butterfly_tiles.cuh"
#include "column_place.cuh"
#include "contract_frequencies.cuh"
#include "storage_fp16.cuh"

// Loads row by row: conjugates in the upper half. Of a lone row the lower half stands for all.
__device__ __forceinline__ void load_frequencies(const ConvArguments& arguments, const ColumnPlace& place,
                                                 ColumnTile (&x)[butterflies]) {
  const unsigned short* const workspace = static_cast<const unsigned short*>(arguments.u) + place.workspace +
                                          place.first_column + columns_per_lane * place.octet;
#pragma unroll
  for (int b = 0; b < butterflies; ++b)
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      int at[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int row = 2 * place.quad + i + 8 * j + 16 * b;
        at[i] = (place.lone && 2 * row > column_length ? column_length - row : row) * row_length;
      }
      load_columns(x[b].re, j, workspace + at[0], workspace + at[1]);
      load_columns(x[b].im, j, workspace + transform_length + at[0], workspace + transform_length + at[1]);
      if (!is_mirrored(b, j)) continue;
#pragma unroll
      for (int t = 0; t < columns_per_lane; ++t) x[b].im[2 * t + j] ^= 0x80008000u;
    }
}

// The butterfly, and products of 16 down the columns, each with the twiddle from the butterfly's digit.
__device__ __forceinline__ void to_samples(const ConvArguments& arguments, const ColumnPlace& place,
                                           ColumnTile (&x)[butterflies]) {
  const uint4* const tables = static_cast<const uint4*>(arguments.tables);
//[[inverse_butterfly
//]]
#pragma unroll
  for (int b = 0; b < butterflies; ++b)
    x[b] = contract_frequencies(read_column_matrix(tables + 64 * b, place.lane), x[b]);
}

__device__ __forceinline__ void store_samples(const ConvArguments& arguments, const ColumnPlace& place,
                                              const ColumnTile (&x)[butterflies]) {
  const unsigned char* const spectrum_end =
      static_cast<const unsigned char*>(arguments.spectrum) + (place.channel + 1) * spectrum_channel_bytes;
  const float scale = load_constant(reinterpret_cast<const float*>(spectrum_end - 16));
//[[store
  (void)x, (void)scale;
//]]
}
