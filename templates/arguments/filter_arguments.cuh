// The argument of every filter entry; generator/kernel_arguments.hpp declares the same struct for the host.
#pragma once

struct FilterArguments {
  const float* k;
  const float* skip;  // may be null
  void* spectrum;
  void* workspace;
  const void* tables;
  long long k_channel_stride;  // elements
  int channels;
  int filter_length;
};
static_assert(sizeof(FilterArguments) == 56, "the host passes 56 bytes");
