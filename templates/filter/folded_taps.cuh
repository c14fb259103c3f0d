// A channel's points where a transform has half as many, as its first pass reads them: those further on by half of them
// are folded in, so that even frequencies come out, or odd ones, which are at k + 1/2.
#pragma once

#include "filter_row.cuh"

struct FoldedTaps {
  static constexpr bool is_shared = false;
  Taps taps;
  int parity;
  __device__ __forceinline__ float2 load(int first, int offset) const {
    const float2 near = point_of(taps, first, offset), far = placed(taps, first, offset + points / 2);
    return parity == 0 ? add(near, far) : sub(near, far);
  }
};
