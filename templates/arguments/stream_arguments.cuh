// The argument of an entry that takes a history; generator/kernel_arguments.hpp declares the same struct for the host.
#pragma once

#include "arguments.cuh"

struct HistoryRows {
  const void* data;  // null: zeros
  long long batch_stride, channel_stride;
};

struct StreamArguments {
  ConvArguments conv;
  HistoryRows u, w;  // the samples before those of the tensors of that name
};
static_assert(sizeof(StreamArguments) == 184, "the host passes 184 bytes");
