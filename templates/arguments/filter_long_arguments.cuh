// The argument of filter entries of long transforms; generator/kernel_arguments.hpp declares the same for the host.
#pragma once

struct LongFilterArguments {
  const float* k;     // of the launch's first channel, as the pointers that follow
  const float* skip;  // may be null
  void* spectrum;
  void* workspace;
  const void* tables;
  long long k_channel_stride;  // elements
  int channels;
  int filter_length;
  int step;
};
static_assert(sizeof(LongFilterArguments) == 64, "the host passes 64 bytes");
