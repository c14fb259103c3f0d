// The channels of a launch whose rows are stored before their spectrum's largest magnitude is known.
//
// Rows are stored under a scale at which nothing leaves fp16, which the largest part in the columns bounds. Behind the
// spectrum, beside its scale, stands a power of two that brings it to (1/2, 1]: convolutions multiply by it as they use
// the spectrum.
#pragma once

#include "filter_rows_tiles.cuh"
#include "ordered_words.cuh"

constexpr int row_blocks = column_points / rows_at_once, column_blocks = row_points / columns_at_once;  // of a channel

// What blocks tell each other of a channel, in the workspace behind its points.
struct ChannelState {
  UnitExponents exponents;
  unsigned int largest;               // bits of the magnitude, of what is stored
  unsigned int done;                  // blocks of rows
  float largest_part[column_blocks];  // real or imaginary, in the columns of each block

  // By one thread of each block of columns.
  __device__ __forceinline__ void begin(int block, float largest_part_of_block) {
    store_global(largest_part + block, largest_part_of_block);
    if (block == 0) store_global(&largest, 0u), store_global(&done, 0u);
  }
  __device__ __forceinline__ float largest_part_of_thread() const {
    float largest = 0.0f;
    for (int block = threadIdx.x; block < column_blocks; block += threads)
      largest = fmaxf(largest, load_global(largest_part + block));
    return largest;
  }
};
static_assert(workspace_bytes >= 4LL * points + static_cast<int>(sizeof(ChannelState)), "a channel's workspace");

struct Channel {
  PackedComplex* points_at;
  ChannelState* state;
  uint4* spectrum;

  __device__ __forceinline__ Channel(const LongFilterArguments& arguments, int number)
      : points_at(reinterpret_cast<PackedComplex*>(static_cast<unsigned char*>(arguments.workspace) +
                                                   workspace_bytes * number)),
        state(reinterpret_cast<ChannelState*>(points_at + points)),
        spectrum(static_cast<uint4*>(arguments.spectrum) + (1LL * rows * row_chunks + 1) * number) {}
};

// Joins the largest magnitude of a block's rows, stored under the scale `safe`, to what others of the channel found.
// The last block knows what the spectrum is to be multiplied by.
__device__ __forceinline__ void finish_rows(float magnitude, int safe, const Channel& channel, SharedAddress of_warps) {
  put_largest_of_warp(magnitude, of_warps);
  block_barrier();
  if (threadIdx.x != 0) return;
  atomic_max_global(&channel.state->largest, __float_as_uint(largest_of_warps(of_warps)));
  if (add_in_order(&channel.state->done, 1) != row_blocks - 1) return;
  const int e = held_exponent(safe + exponent_of(__uint_as_float(load_global(&channel.state->largest))));
  store_global(channel.spectrum + rows * row_chunks, scale_chunk(e, safe - e));
}
