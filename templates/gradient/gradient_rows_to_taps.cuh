// From rows of points to taps, each of which has one place in the transformed row, that of its number.
#pragma once

#include "undone_scales.cuh"

struct Results {
  float* dk;  // of this channel; may be null, as dd
  float* dd;
  UndoneScales unscaled;

  __device__ __forceinline__ Results(const LongFilterGradientArguments& arguments, int channel, const float2*)
      : dk(arguments.dk != nullptr ? arguments.dk + channel * arguments.dk_channel_stride : nullptr),
        dd(arguments.dd != nullptr ? arguments.dd + channel : nullptr),
        unscaled(arguments, channel) {}

  // Point first + offset; the offset is known at compile time.
  __device__ __forceinline__ void store_point(int first, int offset, float2 value) const {
    each_sample(first + offset, value, [&](int n, float sample) {
      sample = unscaled(sample * static_cast<float>(gain));
      if (dk != nullptr && n < filter_length) store_global(dk + n, n < head ? sample : 0.0f);
      if (offset == 0 && dd != nullptr && n == 0) store_global(dd, sample);
    });
  }
  __device__ __forceinline__ void gather(Share) const {}
};
