// Rows of a place that are of two channels, or one alone.
#pragma once

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
