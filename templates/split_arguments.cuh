// The argument of a split plan's entry; generator/generated_kernel.hpp declares the same struct for the host.
#pragma once

#include "arguments.cuh"
#include "progress.cuh"

struct SplitArguments {
  ConvArguments conv;
  void* workspace;         // `ring` pairs of rows in frequencies: R x M real parts, then as many imaginary parts, fp16
  unsigned int* progress;  // two counts for each of them, zero when the launch begins
  int ring;
  int reserved;
};
static_assert(sizeof(SplitArguments) == 144, "the host passes 144 bytes");

constexpr int progress_stride = 32;  // counts between pairs of the ring: a line of memory each

// A pair of batch rows of one channel; pairs of all channels follow each other.
struct Pair {
  int pair, channel;
  bool exists;
  bool lone;  // a row without a partner
};

__device__ __forceinline__ int pairs_of_channel(const ConvArguments& arguments) { return (arguments.batch + 1) / 2; }

__device__ __forceinline__ Pair pair_at(const ConvArguments& arguments, long long index) {
  const int pairs = pairs_of_channel(arguments);
  const bool exists = index >= 0 && index < static_cast<long long>(pairs) * arguments.channels;
  const int at = exists ? static_cast<int>(index) : 0;
  return {at % pairs, at / pairs, exists, at % pairs * 2 + 1 == arguments.batch};
}

#include "split_places.cuh"
