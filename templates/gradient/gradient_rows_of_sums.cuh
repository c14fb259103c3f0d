// Frequencies at a right angle from where they were summed to the rows of a block: row c of the transform has
// frequencies c + column_points k, which are tiles c / column_length, that + parts and so on of sums' row
// c % column_length.
#pragma once

#include "banks_together.cuh"

constexpr int parts = column_points / column_length;
constexpr int row_tiles = rows / parts;
static_assert(column_points % column_length == 0 && rows % parts == 0, "rows have whole tiles");

// What a thread loads at a time: two neighbours read the 32 bytes that two lanes have side by side; the next ones take
// neighbouring tiles.
struct SumsItem {
  int of_part, lane, half, line;

  __device__ __forceinline__ explicit SumsItem(int i) {
    constexpr int together = banks_together(row_tiles), sets = row_tiles / together;
    const int high = i / (2 * together), more = high / sets;
    of_part = high % sets * together + i / 2 % together;
    lane = more % 16 * 2 + i % 2, half = more / 16 % 2, line = more / 32;
  }
};

// All that a thread loads for the rows from `first` on.
struct RowSums {
  static constexpr int items = Rows::numbers / 4, turns = (items + threads - 1) / threads;
  float4 re[turns], im[turns];

  // body(turn, item) for those that exist.
  template <class Body>
  __device__ __forceinline__ static void each(Body body) {
#pragma unroll
    for (int turn = 0; turn < turns; ++turn)
      if (const int i = thread_number() + turn * threads; items % threads == 0 || i < items) body(turn, SumsItem(i));
  }
  __device__ __forceinline__ static int place(const SumsItem& item, int first) {
    const int c = first + item.line, tile = c / column_length + parts * item.of_part;
    return (c % column_length * rows + tile) * tile_words + 32 * item.half + item.lane;
  }

  __device__ __forceinline__ RowSums(const float4* sums, int first) {
    each([&](int turn, const SumsItem& item) {
      const float4* const from = sums + place(item, first);
      re[turn] = load_global(from), im[turn] = load_global(from + 64);
    });
  }
  __device__ __forceinline__ void add(const float4* sums, int first) {
    each([&](int turn, const SumsItem& item) {
      const float4* const from = sums + place(item, first);
      const float4 more_re = load_global(from), more_im = load_global(from + 64);
      re[turn].x += more_re.x, re[turn].y += more_re.y, re[turn].z += more_re.z, re[turn].w += more_re.w;
      im[turn].x += more_im.x, im[turn].y += more_im.y, im[turn].z += more_im.z, im[turn].w += more_im.w;
    });
  }
  // Conjugated: the forward transform of the conjugates is the conjugate of the samples.
  __device__ __forceinline__ void store(const SharedArray& array) const {
    constexpr int apart = row_tiles * rows_at_once;  // between a tile's frequencies
    each([&](int turn, const SumsItem& item) {
      const int inner = item.lane / 4 + 16 * (item.lane % 4 * 2 + 8 * item.half);
      const Places<apart, is_power_of_two(apart)> to(array.address,
                                                     inner * apart + item.of_part * rows_at_once + item.line);
      store_complex(to[0], {re[turn].x, -im[turn].x}), store_complex(to[16], {re[turn].y, -im[turn].y});
      store_complex(to[8], {re[turn].z, -im[turn].z}), store_complex(to[24], {re[turn].w, -im[turn].w});
    });
  }
};

// Rows from `first` on to the array: their sums over all slices, in their order.
__device__ __forceinline__ void load_rows(const float4* sums, int slices, int first, const SharedArray& array) {
  RowSums of_rows(sums, first);
  for (int slice = 1; slice < slices; ++slice) of_rows.add(sums + 1LL * slice * channel_words, first);
  of_rows.store(array);
}
