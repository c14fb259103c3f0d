// Frequencies at a right angle from where they were summed to the rows of a block: row c of the transform has
// frequencies c + column_points k, which are tiles c / column_length, that + parts and so on of sums' row
// c % column_length.
#pragma once

#include "banks_together.cuh"

constexpr int parts = column_points / column_length;
constexpr int row_tiles = rows / parts;
static_assert(column_points % column_length == 0 && rows % parts == 0, "rows have whole tiles");

// Rows from `first` on to the array. Conjugated: the forward transform of the conjugates is the conjugate of the
// samples.
__device__ __forceinline__ void load_rows(const float4* sums, int slices, int first, const SharedArray& array) {
  constexpr int together = banks_together(row_tiles), sets = row_tiles / together;
  for (int i = threadIdx.x; i < Rows::numbers / 4; i += threads) {
    // Two neighbours read the 32 bytes that two lanes have side by side; the next ones take neighbouring tiles.
    const int high = i / (2 * together), more = high / sets;
    const int of_part = high % sets * together + i / 2 % together;
    const int lane = more % 16 * 2 + i % 2, half = more / 16 % 2, line = more / 32;
    const int c = first + line, tile = c / column_length + parts * of_part;
    const float4* from = sums + (c % column_length * rows + tile) * tile_words + 32 * half + lane;
    float4 re = load_global(from), im = load_global(from + 64);
    for (int slice = 1; slice < slices; ++slice) {
      from += channel_words;
      const float4 more_re = load_global(from), more_im = load_global(from + 64);
      re.x += more_re.x, re.y += more_re.y, re.z += more_re.z, re.w += more_re.w;
      im.x += more_im.x, im.y += more_im.y, im.z += more_im.z, im.w += more_im.w;
    }
    const int inner = lane / 4 + 16 * (lane % 4 * 2 + 8 * half);
    const auto store = [&](int more_inner, float of_re, float of_im) {
      array.store((of_part + row_tiles * (inner + more_inner)) * rows_at_once + line, {of_re, -of_im});
    };
    store(0, re.x, im.x), store(16, re.y, im.y), store(8, re.z, im.z), store(24, re.w, im.w);
  }
}
