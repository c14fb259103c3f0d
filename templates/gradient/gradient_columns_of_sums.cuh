// Frequencies at a right angle from where they were summed to the columns of a block: the 32 that four lanes of a tile
// have in a sector each, of real and of imaginary parts, are of one column.
#pragma once

static_assert(column_points % 32 == 0, "a column has all frequencies of a tile's lanes");

// Columns from `first` on to the array. Conjugated: the forward transform of the conjugates is the conjugate of the
// samples.
__device__ __forceinline__ void load_columns(const float4* sums, int slices, int first, const SharedArray& array) {
  constexpr int apart = column_points / 32;  // rows of the column between a tile's neighbouring frequencies
  // Four neighbours read the 64 bytes that four lanes have side by side.
  for (int i = threadIdx.x; i < 8 * apart * columns_at_once; i += threads) {
    const int quad = i % 4, column = i / 4 % columns_at_once;
    const int half = i / (4 * columns_at_once) % 2, row = i / (8 * columns_at_once);
    const int k = row * row_points + first + column;  // the least of the frequencies
    const int f = k % column_length, tile = k / column_length % rows, lane = k / (column_length * rows) * 4 + quad;
    const float4* from = sums + (f * rows + tile) * tile_words + 32 * half + lane;
    float4 re = load_global(from), im = load_global(from + 64);
    for (int slice = 1; slice < slices; ++slice) {
      from += channel_words;
      const float4 more_re = load_global(from), more_im = load_global(from + 64);
      re.x += more_re.x, re.y += more_re.y, re.z += more_re.z, re.w += more_re.w;
      im.x += more_im.x, im.y += more_im.y, im.z += more_im.z, im.w += more_im.w;
    }
    const auto store = [&](int at, float of_re, float of_im) {
      array.store((row + apart * (4 * quad + 16 * half + at)) * columns_at_once + column, {of_re, -of_im});
    };
    store(0, re.x, im.x), store(2, re.y, im.y), store(1, re.z, im.z), store(3, re.w, im.w);
  }
}
