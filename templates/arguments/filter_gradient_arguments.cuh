// The argument of every filter gradient entry; generator/kernel_arguments.hpp declares the same struct for the host.
#pragma once

#include "row_magnitudes.cuh"

struct FilterGradientArguments {
  const float* sums;  // of channel and slice
  float* dk;          // may be null
  float* dd;          // may be null
  void* workspace;
  const void* tables;
  long long dk_channel_stride;  // elements
  int channels;
  int slices;
  RowMagnitudes input_magnitudes, gradient_magnitudes;  // of the rows
};
static_assert(sizeof(FilterGradientArguments) == 88, "the host passes 88 bytes");
