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

// Two rows that travel as one complex row. Rows of all channels follow each other: a channel's last row that has no
// partner there goes with the first of the next channel.
struct Pair {
  int row, channel;  // of the first
  bool exists;
  bool lone;        // rows of two channels, or the last one of all
  bool has_second;  // only the last one of all has none
};

__device__ __forceinline__ long long pairs_of(const ConvArguments& arguments) {
  return (static_cast<long long>(arguments.batch) * arguments.channels + 1) / 2;
}

__device__ __forceinline__ Pair pair_at(const ConvArguments& arguments, long long index) {
  const bool exists = index >= 0 && index < pairs_of(arguments);
  const unsigned int batch = arguments.batch, first = exists ? 2 * static_cast<unsigned int>(index) : 0;
  const int channel = first / batch, row = first % batch;
  const bool lone = exists && row + 1 == arguments.batch;
  return {row, channel, exists, lone, !lone || channel + 1 < arguments.channels};
}

// Batch row and channel of either row of a pair; one that does not exist is the first again.
__device__ __forceinline__ int row_of(const Pair& pair, int part) {
  return part == 0 || !pair.has_second ? pair.row : pair.lone ? 0 : pair.row + 1;
}
__device__ __forceinline__ int channel_of(const Pair& pair, int part) {
  return pair.lone && pair.has_second ? pair.channel + part : pair.channel;
}

// A pair's place in the workspace holds one pair after the other; `round` says how many had it before.
struct Place {
  int slot;
  unsigned int round;
};

__device__ __forceinline__ Place place_of(const SplitArguments& split, long long index) {
  return {static_cast<int>(index % split.ring), static_cast<unsigned int>(index / split.ring)};
}

// Tiles of columns that are through their forward transforms, and rows of the spectrum that are through theirs, real
// and imaginary parts by themselves.
__device__ __forceinline__ unsigned int* columns_done(const SplitArguments& split, const Place& place) {
  return split.progress + place.slot * progress_stride;
}
__device__ __forceinline__ unsigned int* rows_done(const SplitArguments& split, const Place& place) {
  return split.progress + place.slot * progress_stride + progress_stride / 2;
}
