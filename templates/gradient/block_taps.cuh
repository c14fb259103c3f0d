// The filter's gradient by the block that has all rows of a channel.
#pragma once

#include "conversions.cuh"
#include "global.cuh"
#include "largest_of_block.cuh"
#include "largest_of_warp.cuh"
#include "sums.cuh"

__device__ __forceinline__ float largest_of(const Sums& s) {
  float largest = 0.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i) largest = fmaxf(largest, fmaxf(fabsf(s.re[i]), fabsf(s.im[i])));
  return largest;
}

// The powers of two that bring a channel's sums to the range of fp16, and their samples back.
struct TapsRange {
  float in, out;

  // Of sums so large. Where floats end, at sums of less than 2^-110, they get smaller in there.
  __device__ __forceinline__ explicit TapsRange(float largest) {
    const int of_largest = static_cast<int>(__float_as_uint(largest) >> 23);
    const int exponent = min(max(254 + taps_exponent - of_largest, 1), 253);
    in = __uint_as_float(static_cast<unsigned int>(exponent) << 23);
    out = __uint_as_float(static_cast<unsigned int>(254 - exponent) << 23);
  }

  __device__ __forceinline__ Tile tile(const Sums& s) const {
    Tile x;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      x.re[e] = pack(s.re[2 * e] * in, s.re[2 * e + 1] * in);
      x.im[e] = pack(s.im[2 * e] * in, s.im[2 * e + 1] * in);
    }
    return x;
  }
};

// Where a channel's taps go.
struct BlockTaps {
  float* dk;  // may be null, as dd
  float* dd;

  template <class Arguments>
  __device__ __forceinline__ BlockTaps(const Arguments& arguments, int channel)
      : dk(arguments.dk != nullptr ? arguments.dk + channel * arguments.dk_channel_stride : nullptr),
        dd(arguments.dd != nullptr ? arguments.dd + channel : nullptr) {}

  __device__ __forceinline__ void store(int tap, float value) const {
    if (dk != nullptr) store_global(dk + tap, value);
    if (dd != nullptr && tap == 0) store_global(dd, value);
  }
};
