// A channel's points, as a transform's first pass reads them.
#pragma once

#include "filter_row.cuh"

struct PlacedTaps {
  static constexpr bool is_shared = false;
  Taps taps;
  __device__ __forceinline__ float2 load(int first, int offset) const { return point_of(taps, first, offset); }
};
