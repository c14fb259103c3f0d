// A transform's first pass reads a row's points, its last one puts its results.
#pragma once

#include "block_transform.cuh"
#include "taps_of_pairs.cuh"

struct RowPoints {
  static constexpr bool is_shared = false;
  const float* row;
  __device__ __forceinline__ float2 load(int first, int offset) const { return point_of(row, first + offset); }
};

struct RowResults {
  static constexpr bool is_shared = false;
  float* row;
  template <int step, int radix>
  __device__ __forceinline__ void weigh(float2 (&)[radix], int) const {}
  __device__ __forceinline__ void store(int first, int offset, float2 value) const {
    put_result(row, first + offset, value);
  }
};
