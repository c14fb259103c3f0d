// The argument of a split plan's entry; generator/generated_kernel.hpp declares the same struct for the host.
#pragma once

#include "arguments.cuh"
#include "progress.cuh"

struct SplitArguments {
  ConvArguments conv;
  void* workspace;         // `ring` places of rows of frequencies: plane_length real parts, then imaginary parts, fp16
  unsigned int* progress;  // two counts for each of them, zero when the launch begins
  int ring;
  int reserved;
};
static_assert(sizeof(SplitArguments) == 144, "the host passes 144 bytes");

constexpr int progress_stride = 32;  // counts between places of the ring: a line of memory each

#include "split_pairs.cuh"
#include "split_places.cuh"
