// The rows of a long complex transform two by two: a row and the one that holds its mirrored frequencies.
#pragma once

#include "block_transform.cuh"

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
        second(set > 0 ? column_points - set : column_points % 2 == 0 ? column_points / 2 : 0) {}

  __device__ __forceinline__ float2* place(int number) const {
    return transform + 1LL * (number % 2 == 0 ? first : second) * row_points + number / 2;
  }
  __device__ __forceinline__ float2 load(int number, int offset) const { return load_global(place(number) + offset / 2); }
};

// From both rows' frequencies in the array to those of the real row, in memory; the largest magnitude of this thread's.
__device__ __forceinline__ float finish(const SharedArray& array, const RowSet& rows) {
  float magnitude = 0.0f;
  for (int item = threadIdx.x; item < 2 * row_points; item += threads) {
    // Neighbours have neighbouring frequencies of a row.
    const int line = item / row_points, k = item % row_points;
    if (line == 1 && (rows.first > 0 || rows.second == 0)) break;
    const int row = line == 0 ? rows.first : rows.second;
    const bool own_mirror = rows.first == 0;
    const int mirror = row == 0 ? (row_points - k) % row_points : row_points - 1 - k;
    if (own_mirror && mirror < k) continue;
    const int mirror_line = own_mirror ? line : 1;
    const Untangled x = untangled(array.load(2 * k + line), array.load(2 * mirror + mirror_line), row + column_points * k);
    store_global(rows.place(2 * k + line), x.low);
    store_global(row + k == 0 ? rows.transform + points : rows.place(2 * mirror + mirror_line), x.high);
    magnitude = fmaxf(magnitude, fmaxf(magnitude_of(x.low), magnitude_of(x.high)));
  }
  return magnitude;
}
