// A transform of any number of points as a convolution with chirps (Bluestein's), which one of all_points computes:
// n k = (n n + k k - (k - n) (k - n)) / 2.
#pragma once

#include "real_columns.cuh"

static_assert(all_points >= 2 * points - 1, "no difference of a point and a frequency meets another one");

// exp(-pi i n n / points), 0 <= n < points.
__device__ __forceinline__ float2 chirp(int n) {
  return unit_root<2 * points>(static_cast<int>(1LL * n * n % (2 * points)));
}

// Columns of a row's points times chirps, and of zeros behind them.
struct ColumnsOfPoints {
  static constexpr bool is_shared = false;
  const float* row;
  int first;
  __device__ __forceinline__ float2 load(int number, int offset) const {
    const int n = column_point(first, number, offset);
    if (n >= points) return {0.0f, 0.0f};
    return multiply(point_of(row, n), chirp(n));
  }
};

// Columns of the chirp that all rows are convolved with: at differences from 1 - points to points - 1. It carries the
// scale of the transform back.
struct ColumnsOfChirp {
  static constexpr bool is_shared = false;
  int first;
  __device__ __forceinline__ float2 load(int number, int offset) const {
    constexpr float scale = 1.0f / all_points;
    const int n = column_point(first, number, offset), difference = min(n, all_points - n);
    if (difference >= points) return {0.0f, 0.0f};
    const float2 x = chirp(difference);
    return {scale * x.x, -scale * x.y};
  }
};

// From rows of frequencies back to columns: the roots between them are those of the way there.
struct RowsOfColumns {
  static constexpr bool is_shared = false;
  RowSet rows;
  template <int step, int radix>
  __device__ __forceinline__ void weigh(float2 (&)[radix], int) const {}
  __device__ __forceinline__ void store(int first, int offset, float2 value) const {
    const int number = first + offset, row = rows.row + number % rows_at_once;
    store_global(rows.place(number), multiply(value, unit_root<all_points>(row * (number / rows_at_once))));
  }
};

// From columns to a row's results, conjugates of the convolution's.
struct ResultsOfColumns {
  static constexpr bool is_shared = false;
  float* row;
  int first_column;
  template <int step, int radix>
  __device__ __forceinline__ void weigh(float2 (&)[radix], int) const {}
  __device__ __forceinline__ void store(int first, int offset, float2 value) const {
    const int n = column_point(first_column, first, offset);
    if (n < points) put_result(row, n, multiply(conjugate(value), chirp(n)));
  }
};
