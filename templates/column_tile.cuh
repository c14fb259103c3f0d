// A block's columns in shared memory: column_length rows of tile_chunks times 8 samples, in both parts.
//
// Rows lie in slots 16 b + a, a the digit of the products and b that of the butterfly: sample row n = a butterflies + b,
// frequency row k = a + 16 b. A slot's chunks of 8 samples are swizzled, so that neither rows nor columns meet bank
// conflicts.
#pragma once

#include "arguments.cuh"
#include "copy.cuh"
#include "mma_acc32.cuh"
#include "shared_tile.cuh"

constexpr int block_threads = 32 * block_warps;
constexpr int tile_columns = 8 * tile_chunks;
constexpr int tile_plane_bytes = column_length * 16 * tile_chunks;
constexpr int tile_bytes = 2 * tile_plane_bytes;

__device__ __forceinline__ SharedAddress chunk_at(SharedAddress tile, int part, int slot, int chunk) {
  const int swizzle = tile_chunks == 8 ? slot & 7 : slot >> 1 & 3;
  return tile + part * tile_plane_bytes + slot * (16 * tile_chunks) + ((chunk ^ swizzle) << 4);
}

__device__ __forceinline__ int slot_of_sample(int row) { return row % butterflies * 16 + row / butterflies; }

// Where a block stands: its columns, of one pair of rows.
struct ColumnPlace {
  int first_column;
  int pair, channel;
  bool exists;          // the chunk has such a pair
  bool lone;            // a row without a partner
  long long workspace;  // offset of the pair's rows of frequencies
};

// Pairs of all channels of the chunk follow each other along y.
__device__ __forceinline__ ColumnPlace column_place(const ConvArguments& arguments) {
  const int pairs = (arguments.batch + 1) / 2;
  const int slot = blockIdx.y, pair = slot % pairs, channel = slot / pairs;
  return {static_cast<int>(blockIdx.x) * tile_columns, pair,
          channel, channel < arguments.channels,
          2 * pair + 1 == arguments.batch, 2LL * slot * transform_length};
}

// Whether rows 8 h to 8 h + 7 of frequency tile b lie in the upper half of the frequencies.
__device__ constexpr bool is_mirrored(int b, int h) { return 2 * b + h >= butterflies; }
