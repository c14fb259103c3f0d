// What travels as one complex row: one batch row, whose columns go two by two.
#pragma once

// Rows of all channels follow each other.
struct Pair {
  int row, channel;
  bool exists;
};

__device__ __forceinline__ int pairs_of(const ConvArguments& arguments) {
  return static_cast<int>(static_cast<long long>(arguments.batch) * arguments.channels);
}

__device__ __forceinline__ Pair pair_at(const ConvArguments& arguments, int index) {
  const bool exists = index >= 0 && index < pairs_of(arguments);
  const unsigned int batch = arguments.batch, row = exists ? static_cast<unsigned int>(index) : 0;
  return {static_cast<int>(row % batch), static_cast<int>(row / batch), exists};
}
