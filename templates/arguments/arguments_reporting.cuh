// The argument of every convolution entry that makes a report; generator/kernel_arguments.hpp declares the same struct
// for the host.
#pragma once

#include "channel_report.cuh"
#include "row_magnitudes.cuh"

struct ConvArguments {
  const void* u;
  const void* w;
  const void* v;
  void* y;
  const void* spectrum;
  const void* tables;
  long long u_batch_stride, u_channel_stride;  // elements, as all strides
  long long w_batch_stride, w_channel_stride;
  long long v_batch_stride, v_channel_stride;
  long long y_batch_stride, y_channel_stride;
  int batch;
  int channels;
  RowMagnitudes input_magnitudes;
  ChannelReport* report;  // of each channel
};
static_assert(sizeof(ConvArguments) == 144, "the host passes 144 bytes");
