// A long filter's spectra are stored before their largest magnitudes are known, and then multiplied by a power of two.
//
// A channel has a share of that for each block of its rows; shares are counted in the order of the rows' launch, over
// all channels. A block of rows also multiplies a share of a channel before, whose rows are mostly done by then. Nobody
// waits, so it does not matter which blocks are on the device: where the rows are not done, the share is left to the
// launch behind, as are those that no rows come behind.
#pragma once

#include "filter_rows_tiles.cuh"
#include "ordered_words.cuh"

constexpr int row_blocks = column_points / rows_at_once, column_blocks = row_points / columns_at_once;  // of a channel
constexpr unsigned int power_known = 1u << 16;

// What blocks tell each other of a channel, in the workspace behind its points.
struct ChannelState {
  unsigned int largest;               // bits of the magnitude
  unsigned int done;                  // blocks of rows
  unsigned int power;                 // once all are: power_known + the exponent that the spectrum still lacks
  unsigned int left;                  // of the first channel: how many of the launch's shares are in left_shares
  float largest_part[column_blocks];  // real or imaginary, in the columns of each block
  unsigned int left_shares[row_blocks];

  // By one thread of each block of columns.
  __device__ __forceinline__ void begin(int block, float largest_part_of_block) {
    store_global(largest_part + block, largest_part_of_block);
    if (block == 0) store_global(reinterpret_cast<uint4*>(this), uint4{0, 0, 0, 0});
  }
  __device__ __forceinline__ float largest_part_of_thread() const {
    float largest = 0.0f;
    for (int block = threadIdx.x; block < column_blocks; block += threads)
      largest = fmaxf(largest, load_global(largest_part + block));
    return largest;
  }
};
static_assert(workspace_bytes >= 8LL * points + static_cast<int>(sizeof(ChannelState)), "a channel's workspace");

// The channels of a launch.
struct Channels {
  unsigned char* workspaces;
  uint4* spectra;
  int count;

  __device__ __forceinline__ explicit Channels(const LongFilterArguments& arguments)
      : workspaces(static_cast<unsigned char*>(arguments.workspace)),
        spectra(static_cast<uint4*>(arguments.spectrum)),
        count(arguments.channels) {}

  __device__ __forceinline__ float2* points_of(int channel) const {
    return reinterpret_cast<float2*>(workspaces + workspace_bytes * channel);
  }
  __device__ __forceinline__ ChannelState* state_of(int channel) const {
    return reinterpret_cast<ChannelState*>(points_of(channel) + points);
  }
  __device__ __forceinline__ uint4* spectrum_of(int channel) const {
    return spectra + (1LL * rows * row_chunks + 1) * channel;
  }
  // What was written last is read first: some of it is in the cache.
  __device__ __forceinline__ int channel_of(int share) const { return count - 1 - share / row_blocks; }

  // Of a share's channel; 0 where its rows are not done yet.
  __device__ __forceinline__ unsigned int power_of(int share) const {
    return load_in_order(&state_of(channel_of(share))->power);
  }
  // Where the number of the i-th share that is left lies.
  __device__ __forceinline__ unsigned int* left_share(int i) const {
    return state_of(i / row_blocks)->left_shares + i % row_blocks;
  }

  // A share of the spectrum times a power that is known, in place, by all threads of a block. Several loads are under
  // way at a time, and what is stored is not read again.
  __device__ __forceinline__ void multiply(int share, unsigned int known) const {
    constexpr int chunks = rows * row_chunks / row_blocks, at_once = 4;
    const TimesPowerOfTwo power(static_cast<int>(known - power_known));
    uint4* const first = spectrum_of(channel_of(share)) + share % row_blocks * chunks;
    for (int i = thread_number(); i < chunks; i += at_once * threads) {
      uint4 eight[at_once];
#pragma unroll
      for (int turn = 0; turn < at_once; ++turn)
        if (const int chunk = i + turn * threads; chunk < chunks) eight[turn] = load_global(first + chunk);
#pragma unroll
      for (int turn = 0; turn < at_once; ++turn)
        if (const int chunk = i + turn * threads; chunk < chunks) store_streamed(first + chunk, power(eight[turn]));
    }
  }
  // With the power that one thread has found.
  __device__ __forceinline__ void multiply_or_leave(int share, unsigned int power) const {
    if (power != 0)
      multiply(share, power);
    else if (threadIdx.x == 0)
      store_global(left_share(static_cast<int>(add_in_order(&state_of(0)->left, 1))), static_cast<unsigned int>(share));
  }
  // In the launch behind: this block's of the shares that no rows came behind, and of those that were left.
  __device__ __forceinline__ void multiply_rest() const {
    const auto multiply_done = [&](int share) { multiply(share, load_global(&state_of(channel_of(share))->power)); };
    if (const int share = row_blocks * count - 1 - static_cast<int>(blockIdx.x); share >= 0) multiply_done(share);
    const int left = static_cast<int>(load_global(&state_of(0)->left));
    for (int i = blockIdx.x; i < left; i += gridDim.x) multiply_done(static_cast<int>(load_global(left_share(i))));
  }
};

// Joins the largest magnitude of a block's rows, which are in the spectrum under the scale `safe`, to what others of
// the channel found. The last block knows what the spectrum lacks.
__device__ __forceinline__ void finish_rows(float magnitude, int safe, ChannelState* state, uint4* spectrum,
                                            SharedAddress of_warps) {
  put_largest_of_warp(magnitude, of_warps);
  block_barrier();
  if (threadIdx.x != 0) return;
  atomic_max_global(&state->largest, __float_as_uint(largest_of_warps(of_warps)));
  if (add_in_order(&state->done, 1) != row_blocks - 1) return;
  // The largest magnitude decides the power of two that the stored spectrum is divided by.
  const int e = scale_exponent(__uint_as_float(load_global(&state->largest)));
  store_global(spectrum + rows * row_chunks, scale_chunk(e));
  store_in_order(&state->power, power_known + static_cast<unsigned int>(safe - e));
}
