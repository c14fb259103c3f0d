// The argument of an entry whose blocks each have a place in a workspace: generator/kernel_arguments.hpp declares it
// for the host as SplitArguments.
#pragma once

#include "arguments.cuh"

struct PlaceArguments {
  ConvArguments conv;
  unsigned int* workspace;  // `ring` places of complex words
  void* progress;           // of kernels that count
  int ring;
  int reserved;
};
static_assert(sizeof(PlaceArguments) == 160, "the host passes 160 bytes");
