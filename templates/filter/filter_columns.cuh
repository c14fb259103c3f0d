// The columns of a long transform of taps.
#pragma once

#include "block_transform.cuh"
#include "largest_of_warps.cuh"

// Columns next to each other: points `row_points` apart.
using Columns = Lines<column_points, columns_at_once>;

struct ColumnsOfTaps {
  static constexpr bool is_shared = false;
  Taps taps;
  int first;
  // An offset is one of whole rows.
  __device__ __forceinline__ float2 load(int number, int offset) const {
    const int point = number / columns_at_once * row_points + first + number % columns_at_once;
    return point_of(taps, point, offset / columns_at_once * row_points);
  }
};

// Their frequencies, where rows find them.
struct ColumnsOfRows {
  static constexpr bool is_shared = false;
  float2* transform;
  int first;

  template <int step, int radix>
  __device__ __forceinline__ void weigh(float2 (&)[radix], int) const {}
  __device__ __forceinline__ void store(int number, int offset, float2 value) const {
    const int row = number / columns_at_once, column = first + number % columns_at_once;
    store_global(transform + (row + offset / columns_at_once) * row_points + column, value);
  }
};

// Row c of the transform has frequencies c + column_points k and what they are more, in units of column_points.
using RowFrequencies = ShiftedFrequencies<PointFrequencies::parts * column_points>;
__device__ __forceinline__ RowFrequencies frequencies_of_rows(int row, int apart) {
  return {PointFrequencies::parts * row + PointFrequencies().shift(0), PointFrequencies::parts * apart};
}
