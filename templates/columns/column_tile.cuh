// A unit's columns in shared memory: column_length rows of tile_chunks times 8 samples, in both parts.
//
// Rows lie in slots 16 b + a, a the digit of the first products and b what is behind it: sample row n = a sections + b,
// frequency row k = a + 16 b. A slot's chunks of 8 samples are swizzled, so that neither rows nor columns meet bank
// conflicts.
#pragma once

#include "copy.cuh"
#include "mma_acc32.cuh"
#include "shared_tile.cuh"
#include "split_arguments.cuh"

constexpr int sections = column_length / 16;  // of a column: 16 rows each
constexpr int unit_threads = 32 * unit_warps;
constexpr int tile_columns = 8 * tile_chunks;
constexpr int copied_rows = unit_threads / tile_chunks;  // of a tile, copied at a time: a thread has a chunk of each
constexpr int tile_plane_bytes = column_length * 16 * tile_chunks;
constexpr int tile_bytes = 2 * tile_plane_bytes;
constexpr int gate_offset = tiles * tile_bytes;  // of gates, which lie as samples do, behind the tile that leaves
constexpr int gate_from_next = gate_offset - (tiles - 1) * tile_bytes;  // behind the one that comes

__device__ __forceinline__ SharedAddress chunk_at(SharedAddress tile, int part, int slot, int chunk) {
//[[slot_order
//]]
  const int swizzle = tile_chunks == 8 ? slot & 7 : tile_chunks == 4 ? slot >> 1 & 3 : slot >> 2 & 1;
  return tile + part * tile_plane_bytes + slot * (16 * tile_chunks) + ((chunk ^ swizzle) << 4);
}

__device__ __forceinline__ int slot_of_sample(int row) { return row % sections * 16 + row / sections; }

// Barrier among the threads of one unit; the numbers below are those of the groups of rows.
__device__ __forceinline__ void unit_barrier(int unit) { named_barrier<unit_threads>(first_barrier + unit); }

// What a warp takes at a time where products go down the columns: chunks of one section.
constexpr int columns_shares = unit_warps > sections ? unit_warps / sections : 1;
constexpr int product_chunks = tile_chunks / columns_shares;
static_assert(product_chunks * columns_shares == tile_chunks, "shares of a tile are whole chunks");
