// The columns of a long transform of taps.
#pragma once

#include "block_transform.cuh"
#include "column_roots.cuh"
#include "largest_of_block.cuh"

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

// Their frequencies, with the roots between columns and rows, where rows find them.
struct ColumnsOfRows {
  static constexpr bool is_shared = false;
  float2* transform;
  int first;

  template <int step, int radix>
  __device__ __forceinline__ void weigh(float2 (&x)[radix], int number) const {
    const int row = number / columns_at_once, column = first + number % columns_at_once;
    multiply_by_column_roots<points, step / columns_at_once>(x, row, column);
  }
  __device__ __forceinline__ void store(int number, int offset, float2 value) const {
    const int row = number / columns_at_once, column = first + number % columns_at_once;
    store_global(transform + (row + offset / columns_at_once) * row_points + column, value);
  }
};
