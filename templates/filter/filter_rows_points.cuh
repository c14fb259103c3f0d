// The rows of a long complex transform one by one: their frequencies are the spectrum's.
#pragma once

#include "filter_columns.cuh"

constexpr int row_sets = column_points;
using Rows = Lines<row_points, 1>;

struct RowSet {
  static constexpr bool is_shared = false;
  float2* place;
  int row;

  __device__ __forceinline__ RowSet(float2* transform, int row) : place(transform + 1LL * row * row_points), row(row) {}
  __device__ __forceinline__ RowFrequencies frequencies() const { return frequencies_of_rows(row, 0); }
  __device__ __forceinline__ float2 load(int first, int offset) const { return load_global(place + first + offset); }
};

// From the row's frequencies in the array to memory; the largest magnitude of this thread's.
__device__ __forceinline__ float finish(const SharedArray& array, const RowSet& rows) {
  LargestMagnitude largest;
  for (int k = threadIdx.x; k < row_points; k += threads) {
    const float2 x = kept(array.load(k), rows.row + column_points * k);
    store_global(rows.place + k, x);
    largest.join(x);
  }
  return largest.or_else([&] {
    float magnitude = 0.0f;
    for (int k = threadIdx.x; k < row_points; k += threads) {
      const float2 x = load_global(rows.place + k);
      magnitude = fmaxf(magnitude, hypotf(x.x, x.y));
    }
    return magnitude;
  });
}
