// From rows of points to samples of the transformed row, and from these to taps, which may have two places there.
#pragma once

#include "global_samples.cuh"
#include "gradient_taps.cuh"
#include "undone_scales.cuh"

struct Results {
  float* dk;  // of this channel; may be null, as dd
  float* dd;
  float2* samples;
  UndoneScales unscaled;

  __device__ __forceinline__ Results(const LongFilterGradientArguments& arguments, int channel, float2* samples)
      : dk(arguments.dk != nullptr ? arguments.dk + channel * arguments.dk_channel_stride : nullptr),
        dd(arguments.dd != nullptr ? arguments.dd + channel : nullptr),
        samples(samples),
        unscaled(arguments, channel) {}

  __device__ __forceinline__ void store_point(int first, int offset, float2 value) const {
    store_global(samples + first + offset, value);
  }
  __device__ __forceinline__ void gather(Share share) const {
    const GlobalSamples made = {samples};
    if (dk != nullptr)
      for (int tap = share.first; tap < filter_length; tap += share.step)
        store_global(dk + tap, unscaled(gradient_of_tap(made, tap)));
    if (dd != nullptr && share.first == 0) store_global(dd, unscaled(sample_at(made, 0)));
  }
};
