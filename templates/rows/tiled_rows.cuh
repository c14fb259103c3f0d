// What the tiled family's stages are written in: where rows lie in shared memory, and tiles and matrices from memory.
#pragma once

// Fixed by the 16 x 16 rows of this family.
constexpr int row_samples = 256;
constexpr int row_chunks = 32;  // of 8 samples, 16 bytes
constexpr int row_bytes = 512;
constexpr int tile_bytes = 1024;  // a tile in fragment order: 16 bytes a lane and part
constexpr int group_threads = 32 * group_warps;
constexpr int block_threads = groups * group_threads;
constexpr int plane_bytes = slots * row_bytes;
constexpr int buffer_bytes = 2 * plane_bytes;
static_assert(block_threads <= 1024, "a block has at most 1024 threads");

// The group of a thread. One alone is known at compile time, which keeps addresses and barriers out of registers.
__device__ __forceinline__ int group_of(unsigned int thread) { return groups > 1 ? thread / group_threads : 0; }

//[[shared_map
//]]

// Where a row keeps its chunks. Linear in xor, and free of bank conflicts down the columns and along the rows.
__device__ constexpr int swizzled(int chunk) { return (chunk ^ (chunk >> 3 & 3)) << 4; }

#include "tiled_mirror_rows.cuh"

__device__ __forceinline__ int chunk_offset(int slot, int chunk) {
  return slot * row_bytes + (swizzled(chunk) ^ ((slot & 7) << 4));
}

#include "tiled_place_below.cuh"

// The tile at `from` of a table in fragment order.
__device__ __forceinline__ Tile read_tile(const uint4* from, int lane) {
  return make_tile(load_constant(from + lane), load_constant(from + 32 + lane));
}

// The matrix at `from`: a tile as A operand, then one as B operand.
__device__ __forceinline__ Matrix read_matrix(const uint4* from, int lane) {
  return make_matrix(load_constant(from + lane), load_constant(from + 32 + lane), load_constant(from + 64 + lane),
                     load_constant(from + 96 + lane));
}

__device__ __forceinline__ Tile load_tile(SharedAddress from, int lane) {
  return make_tile(load_shared(from + 16 * lane), load_shared(from + tile_bytes / 2 + 16 * lane));
}

// A tile from the rows of a pair: both planes through the same lane addresses.
__device__ __forceinline__ Tile load_rows(SharedAddress from) {
  Tile x;
  load_blocks_transposed(from, x.re[0], x.re[1], x.re[2], x.re[3]);
  load_blocks_transposed(from + plane_bytes, x.im[0], x.im[1], x.im[2], x.im[3]);
  return x;
}

__device__ __forceinline__ void store_rows(SharedAddress to, const Tile& x) {
  store_blocks(to, x.re[0], x.re[1], x.re[2], x.re[3]);
  store_blocks(to + plane_bytes, x.im[0], x.im[1], x.im[2], x.im[3]);
}

__device__ __forceinline__ void store_rows_transposed(SharedAddress to, const Tile& x) {
  store_blocks_transposed(to, x.re[0], x.re[1], x.re[2], x.re[3]);
  store_blocks_transposed(to + plane_bytes, x.im[0], x.im[1], x.im[2], x.im[3]);
}

#include "slots_between.cuh"
#include "tiled_dropped_rows.cuh"
#include "tiled_half_rows.cuh"
#include "tiled_real_rows.cuh"
#include "turned_tiles.cuh"
#include "fractional_rows.cuh"

#include "tiled_column_matrices.cuh"
#include "read_column_matrices.cuh"
#include "tiled_staged_rows.cuh"
