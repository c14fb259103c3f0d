// The argument of every filter gradient entry; generator/generated_kernel.hpp declares the same struct for the host.
#pragma once

struct FilterGradientArguments {
  const float* sums;  // of channel and slice
  float* dk;          // may be null
  float* dd;          // may be null
  void* workspace;
  const void* tables;
  long long dk_channel_stride;  // elements
  int channels;
  int slices;
};
static_assert(sizeof(FilterGradientArguments) == 56, "the host passes 56 bytes");
