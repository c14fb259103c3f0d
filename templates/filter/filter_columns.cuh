// The columns of a long transform of taps, and the largest magnitude that its blocks find.
#pragma once

#include "block_transform.cuh"
#include "column_roots.cuh"
#include "global_atomics.cuh"
#include "shared_words.cuh"

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

// The largest of what a block's threads have found, none of which is negative.
__device__ __forceinline__ float largest_of_block(float magnitude, SharedAddress of_block) {
  if (threadIdx.x == 0) store_shared4(of_block, 0);
  block_barrier();
  atomic_max_shared(of_block, __float_as_uint(magnitude));
  block_barrier();
  return __uint_as_float(load_shared4(of_block));
}

// Joins a block's share of a channel's largest magnitude to what other blocks found.
__device__ __forceinline__ void join_largest(float magnitude, unsigned int* largest, SharedAddress of_block) {
  const float of_all = largest_of_block(magnitude, of_block);
  if (threadIdx.x == 0) atomic_max_global(largest, __float_as_uint(of_all));
}
