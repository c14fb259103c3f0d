// What travels as one complex row: pairs of batch rows.
#pragma once

// Two rows that travel as one complex row. Rows of all channels follow each other: a channel's last row that has no
// partner there goes with the first of the next channel.
struct Pair {
  int row, channel;  // of the first
  bool exists;
};

__device__ __forceinline__ int pairs_of(const ConvArguments& arguments) {
  return static_cast<int>((static_cast<long long>(arguments.batch) * arguments.channels + 1) / 2);
}

__device__ __forceinline__ Pair pair_at(const ConvArguments& arguments, int index) {
  const bool exists = index >= 0 && index < pairs_of(arguments);
  const unsigned int batch = arguments.batch, first = exists ? 2 * static_cast<unsigned int>(index) : 0;
  return {static_cast<int>(first % batch), static_cast<int>(first / batch), exists};
}

// Rows of two channels, or the last one of all.
__device__ __forceinline__ bool is_lone(const ConvArguments& arguments, const Pair& pair) {
  return pair.row + 1 == arguments.batch;
}

// Only the last one of all may be without a second row.
__device__ __forceinline__ bool has_second(const ConvArguments& arguments, const Pair& pair) {
  return !is_lone(arguments, pair) || pair.channel + 1 < arguments.channels;
}

// Batch row and channel of either row of a pair; of one that does not exist, those of one that does.
__device__ __forceinline__ int row_of(const ConvArguments& arguments, const Pair& pair, int part) {
  return part == 0 ? pair.row : is_lone(arguments, pair) ? 0 : pair.row + 1;
}
__device__ __forceinline__ int channel_of(const ConvArguments& arguments, const Pair& pair, int part) {
  return is_lone(arguments, pair) ? min(pair.channel + part, arguments.channels - 1) : pair.channel;
}
