// The argument of filter gradient entries of long transforms; generator/kernel_arguments.hpp declares the same for the
// host.
#pragma once

#include "row_magnitudes.cuh"

struct LongFilterGradientArguments {
  void* sums;  // of channel and slice, of the launch's first channel, as the pointers that follow
  float* dk;   // may be null
  float* dd;   // may be null
  void* workspace;
  long long dk_channel_stride;  // elements
  int channels;
  int slices;
  int step;
  int reserved;
  RowMagnitudes input_magnitudes, gradient_magnitudes;  // of the rows
};
static_assert(sizeof(LongFilterGradientArguments) == 88, "the host passes 88 bytes");
