// Columns from samples to frequencies, in the registers of a warp.
#pragma once

#include "butterfly_tiles.cuh"
#include "column_place.cuh"
#include "contract_samples.cuh"
#include "storage_fp16.cuh"

__device__ __forceinline__ void load_samples(const ConvArguments& arguments, const ColumnPlace& place,
                                             ColumnTile (&x)[butterflies]) {
//[[load
  (void)arguments, (void)place, (void)x;
//]]
}

// Products of 16 down the columns, each with its twiddle to the butterfly's digit, and the butterfly. The twiddle
// between columns and rows is left to the rows.
__device__ __forceinline__ void to_frequencies(const ConvArguments& arguments, const ColumnPlace& place,
                                               ColumnTile (&x)[butterflies]) {
  const uint4* const tables = static_cast<const uint4*>(arguments.tables);
#pragma unroll
  for (int b = 0; b < butterflies; ++b) x[b] = contract_samples(read_column_matrix(tables + 64 * b, place.lane), x[b]);
//[[forward_butterfly
//]]
}

// Stores row by row. The workspace holds the conjugates of the upper half of the frequencies, which take the factors of
// their mirrors; of a lone row the lower half says all.
__device__ __forceinline__ void store_frequencies(const ConvArguments& arguments, const ColumnPlace& place,
                                                  const ColumnTile (&x)[butterflies]) {
  unsigned short* const workspace = static_cast<unsigned short*>(arguments.y) + place.workspace + place.first_column +
                                    2 * columns_per_lane * place.quad;
#pragma unroll
  for (int b = 0; b < butterflies; ++b) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = place.octet + 8 * h + 16 * b;
      if (place.lone && 2 * row > column_length) continue;
      Words<columns_per_lane> re, im;
#pragma unroll
      for (int w = 0; w < columns_per_lane; ++w) {
        re.word[w] = x[b].re[columns_per_lane * h + w];
        im.word[w] = x[b].im[columns_per_lane * h + w] ^ (is_mirrored(b, h) ? 0x80008000u : 0u);
      }
      store_words(workspace + row * row_length, re);
      store_words(workspace + transform_length + row * row_length, im);
    }
  }
}
