// The argument of every backward entry that makes a report; generator/kernel_arguments.hpp declares the same struct for
// the host.
#pragma once

#include "channel_report.cuh"
#include "row_magnitudes.cuh"

struct GradientArguments {
  const void* u;
  const void* w;
  const void* v;
  const void* dy;
  void* du;
  void* dw;
  void* dv;
  const void* spectrum;
  const void* tables;
  void* sums;    // of channel and slice: factor_rows tiles of fp32
  void* parked;  // of every block: tiles of u's frequencies, where they wait there for those of dy
  long long u_batch_stride, u_channel_stride;  // elements, as all strides
  long long w_batch_stride, w_channel_stride;
  long long v_batch_stride, v_channel_stride;
  long long dy_batch_stride, dy_channel_stride;
  long long du_batch_stride, du_channel_stride;
  long long dw_batch_stride, dw_channel_stride;
  long long dv_batch_stride, dv_channel_stride;
  int batch;
  int channels;
  int pairs_per_slice;
  int makes_taps;  // not zero: a channel is one slice, whose block makes taps of its sums
  RowMagnitudes input_magnitudes, gradient_magnitudes;  // of u . w, of dy . v
  float* dk;                                            // there: may be null, as dd
  float* dd;
  long long dk_channel_stride;
  ChannelReport* report;  // of each channel
};
static_assert(sizeof(GradientArguments) == 280, "the host passes 280 bytes");
