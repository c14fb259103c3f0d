// Where a warp of an outer kernel stands: its columns of one pair of rows.
#pragma once

#include "arguments.cuh"
#include "column_tile.cuh"

struct ColumnPlace {
  int lane, quad, octet;
  int first_column;
  int pair, channel;
  bool exists;  // the chunk has such a pair
  bool lone;    // a row without a partner
  long long workspace;  // offset of the pair's rows of frequencies
};

// Pairs of all channels of the chunk follow each other along y.
__device__ __forceinline__ ColumnPlace column_place(const ConvArguments& arguments) {
  const int lane = threadIdx.x % 32;
  const int first_column = (blockIdx.x * block_warps + threadIdx.x / 32) * columns_per_warp;
  const int pairs = (arguments.batch + 1) / 2;
  const int slot = blockIdx.y, pair = slot % pairs, channel = slot / pairs;
  const bool exists = channel < arguments.channels && first_column < row_length;
  const bool lone = 2 * pair + 1 == arguments.batch;
  return {lane, lane % 4, lane / 4, first_column, pair, channel, exists, lone, 2LL * slot * transform_length};
}
