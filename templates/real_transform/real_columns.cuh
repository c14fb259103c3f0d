// A long transform as columns and rows: point n is in column n % row_points, and row c of what they make has the
// frequencies c + column_points k.
#pragma once

#include "block_transform.cuh"
#include "taps_of_pairs.cuh"

//[[long_constants
constexpr int column_points = 4;
constexpr int row_points = 8;
constexpr int columns_at_once = 8;
constexpr int rows_at_once = 4;
constexpr long long workspace_bytes = 256;
//]]
constexpr int all_points = column_points * row_points;
static_assert(all_points >= points, "columns and rows hold the points");
static_assert(row_points % columns_at_once == 0 && column_points % rows_at_once == 0, "blocks take whole shares");
static_assert(workspace_bytes >= 8LL * all_points, "the workspace holds a channel");

using Columns = Lines<column_points, columns_at_once>;
using Rows = Lines<row_points, rows_at_once>;
using RowFrequencies = ShiftedFrequencies<column_points>;

// Which point number first + offset of a block's columns is, the offset being one of whole rows.
__device__ __forceinline__ int column_point(int first_column, int number, int offset) {
  return (number + offset) / columns_at_once * row_points + first_column + number % columns_at_once;
}

// Columns where rows find them, and the other way round.
struct ColumnsOfRows {
  static constexpr bool is_shared = false;
  float2* transform;
  int first;

  template <int step, int radix>
  __device__ __forceinline__ void weigh(float2 (&)[radix], int) const {}
  __device__ __forceinline__ float2 load(int number, int offset) const {
    return load_global(transform + column_point(first, number, offset));
  }
  __device__ __forceinline__ void store(int number, int offset, float2 value) const {
    store_global(transform + column_point(first, number, offset), value);
  }
};

// Rows next to each other, from `row` on.
struct RowSet {
  static constexpr bool is_shared = false;
  float2* transform;
  int row;

  __device__ __forceinline__ float2* place(int number) const {
    return transform + 1LL * (row + number % rows_at_once) * row_points + number / rows_at_once;
  }
  __device__ __forceinline__ float2 load(int number, int offset) const { return load_global(place(number + offset)); }
};
