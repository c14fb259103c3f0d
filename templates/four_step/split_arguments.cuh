// The argument of a split plan's entry; generator/kernel_arguments.hpp declares the same struct for the host.
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
//[[split_size
static_assert(sizeof(SplitArguments) == 160, "the host passes 160 bytes");
//]]

constexpr int counts_of_place = 32;  // a line of memory
//[[progress_stride
constexpr int progress_stride = counts_of_place;  // words between places of the ring
//]]

//[[rows_of_place
constexpr int rows_of_place = 2;
//]]

// Rows that travel as one complex row: two, or one whose columns go two by two. Rows of all channels follow each other:
// a channel's last row that has no partner there goes with the first of the next channel.
struct Pair {
  int row, channel;  // of the first
  bool exists;
};

__device__ __forceinline__ int pairs_of(const ConvArguments& arguments) {
  const long long rows = static_cast<long long>(arguments.batch) * arguments.channels;
  return static_cast<int>((rows + rows_of_place - 1) / rows_of_place);
}

__device__ __forceinline__ Pair pair_at(const ConvArguments& arguments, int index) {
  const bool exists = index >= 0 && index < pairs_of(arguments);
  const unsigned int batch = arguments.batch, first = exists ? rows_of_place * static_cast<unsigned int>(index) : 0;
  return {static_cast<int>(first % batch), static_cast<int>(first / batch), exists};
}

#include "split_lone_rows.cuh"
#include "split_places.cuh"
