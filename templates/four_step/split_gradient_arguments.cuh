// The argument of a split plan's entry that makes gradients; generator/kernel_arguments.hpp declares the same struct
// for the host.
#pragma once

#include "gradient_arguments.cuh"
#include "progress.cuh"

using ConvArguments = GradientArguments;  // what columns know by that name

struct SplitArguments {
  GradientArguments conv;
  void* workspace;         // `ring` complex rows in frequencies: R x M real parts, then as many imaginary parts, fp16
  unsigned int* progress;  // two counts for each of them, zero when the launch begins
  int ring;
  int slices;            // of a channel's pairs: pair p is added to sums p % slices
  int channels_at_once;  // that take turns, a pair each
  int reserved;
};
//[[split_size
static_assert(sizeof(SplitArguments) == 304, "the host passes 304 bytes");
//]]

constexpr int counts_of_place = 32;  // a line of memory
//[[progress_stride
constexpr int progress_stride = counts_of_place;  // words between places of the ring
//]]

//[[gradient_tensors
constexpr int tensors = 2;
//]]

//[[pair
// One tensor of a pair of batch rows of one channel, as a complex row. A row without a partner goes with zeros.
struct Pair {
  int pair, channel;
  int tensor;  // of `tensors`
  bool exists;
  bool has_partner;
};

__device__ __forceinline__ int pairs_of_channel(const ConvArguments& arguments) { return (arguments.batch + 1) / 2; }
//]]

// Pairs come in this order: channels_at_once channels take turns, a pair each, until they have no more; then the next.
// So the sums of several channels grow at a time, each in the order of its pairs.
__device__ __forceinline__ int channels_in_turn(const SplitArguments& split, int first_channel) {
  return max(min(split.channels_at_once, split.conv.channels - first_channel), 1);
}

// The pair's tensors follow each other.
__device__ __forceinline__ Pair pair_at(const SplitArguments& split, long long index) {
  const int pairs = pairs_of_channel(split.conv);
  const bool exists = index >= 0 && index < static_cast<long long>(tensors) * pairs * split.conv.channels;
  const int tensor = exists ? static_cast<int>(index % tensors) : 0;
  const int at = exists ? static_cast<int>(index / tensors) : 0;
  const int first_channel = at / (pairs * split.channels_at_once) * split.channels_at_once;
  const int width = channels_in_turn(split, first_channel), within = at - first_channel * pairs;
  const int pair = within / width;
//[[pair_of_rows
  return {pair, first_channel + within % width, tensor, exists, 2 * pair + 1 < split.conv.batch};
//]]
}

#include "split_places.cuh"
