// The rows of a long complex transform two by two: a row and the one that holds its mirrored frequencies.
#pragma once

#include "filter_columns.cuh"

constexpr int row_sets = (column_points + 1) / 2;
using Rows = Lines<row_points, 2>;

// Rows 0 and column_points / 2 are their own mirrors: they go together, the first one alone where there is no other.
struct RowSet {
  static constexpr bool is_shared = false;
  float2* transform;
  int first, second;

  __device__ __forceinline__ RowSet(float2* transform, int set)
      : transform(transform),
        first(set),
        second(set > 0                  ? column_points - set
               : column_points % 2 == 0 ? column_points / 2
                                        : 0) {}

  __device__ __forceinline__ float2* place(int number) const {
    return transform + 1LL * (number % 2 == 0 ? first : second) * row_points + number / 2;
  }
  __device__ __forceinline__ RowFrequencies frequencies() const { return frequencies_of_rows(first, second - first); }
  __device__ __forceinline__ float2 load(int number, int offset) const {
    return load_global(place(number) + offset / 2);
  }

  // Calls body(number, its mirror's, where that one's result goes, frequency) for this thread's.
  template <class Body>
  __device__ __forceinline__ void each_pair(Body body) const {
    const bool own_mirrors = first == 0;
    for (int item = thread_number(); item < 2 * row_points; item += threads) {
      // Neighbours have neighbouring frequencies of a row.
      const int line = item / row_points, k = item % row_points;
      if (line == 1 && (!own_mirrors || second == 0)) break;
      const int row = line == 0 ? first : second;
      const int mirror = row == 0 ? (row_points - k) % row_points : row_points - 1 - k;
      if (own_mirrors && mirror < k) continue;
      const int mirrored = 2 * mirror + (own_mirrors ? line : 1);
      body(2 * k + line, mirrored, row + k == 0 ? transform + points : place(mirrored), row + column_points * k);
    }
  }
};

// From both rows' frequencies in the array to those of the real row, in memory; the largest magnitude of this thread's.
__device__ __forceinline__ float finish(const SharedArray& array, const RowSet& rows) {
  LargestMagnitude largest;
  rows.each_pair([&](int number, int mirrored, float2* mirror_place, int frequency) {
    const Untangled x = untangled(array.load(number), array.load(mirrored), frequency, unit_root<length>(frequency));
    store_global(rows.place(number), x.low);
    store_global(mirror_place, x.high);
    largest.join(x.low), largest.join(x.high);
  });
  return largest.or_else([&] {
    float magnitude = 0.0f;
    rows.each_pair([&](int number, int, float2* mirror_place, int) {
      const float2 low = load_global(rows.place(number)), high = load_global(mirror_place);
      magnitude = fmaxf(magnitude, fmaxf(hypotf(low.x, low.y), hypotf(high.x, high.y)));
    });
    return magnitude;
  });
}
