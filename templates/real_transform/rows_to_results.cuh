// Rows of frequencies of a long transform to a row's results.
#pragma once

#include "real_columns.cuh"

static_assert(all_points == points, "columns and rows are the points");

struct ColumnsOfPoints {
  static constexpr bool is_shared = false;
  const float* row;
  int first;
  __device__ __forceinline__ float2 load(int number, int offset) const {
    return point_of(row, column_point(first, number, offset));
  }
};

// Rows next to each other have neighbouring frequencies.
struct ResultsOfRows {
  static constexpr bool is_shared = false;
  float* to;
  int row;
  template <int step, int radix>
  __device__ __forceinline__ void weigh(float2 (&)[radix], int) const {}
  __device__ __forceinline__ void store(int first, int offset, float2 value) const {
    const int number = first + offset;
    put_result(to, row + number % rows_at_once + column_points * (number / rows_at_once), value);
  }
};
