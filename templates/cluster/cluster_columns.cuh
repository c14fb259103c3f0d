// A block's share of the columns of a cluster: its row_length / blocks samples of every row, from u (and w) to
// the blocks that hold the rows of frequencies, and from there to y (and v).
#pragma once

#include "cluster_words.cuh"
#include "met_words.cuh"
#include "storage_fp16.cuh"

constexpr int share = row_length / blocks;  // samples of a row that a block takes
constexpr int unit_threads = 32 * unit_warps;
constexpr int thread_samples = 2 * chunk_words;
constexpr int pieces_of_share = share / (32 * thread_samples);  // each a warp's at a time
static_assert(pieces_of_share * 32 * thread_samples == share, "the lanes of warps share a block's columns evenly");

constexpr int whole_rows = length / row_length;  // of which all samples exist

// Frequencies of a thread's columns, chunk_words of each.
struct Chunks {
  Words<chunk_words> re[blocks], im[blocks];
};

// Times a power of two that is given as a pair of halves.
template <Packed factor>
__device__ __forceinline__ Packed scaled(Packed x) {
  return factor == 0x3c003c00u ? x : mul(x, factor);
}

#include "cluster_pairs.cuh"

// A tensor of samples: u, y, or a gate.
template <class Element>
struct Rows {
  Element* data;
  long long batch_stride, channel_stride;
};

// Of an item what a thread takes from `column` on, as it is stored.
__device__ __forceinline__ Samples read_samples(const ConvArguments& arguments, const Rows<const void>& rows,
                                                const Item& item, int column) {
//[[read_samples
  const bool lone = 2 * item.index + 1 == arguments.batch;
  const unsigned short* const first = static_cast<const unsigned short*>(rows.data) +
                                      2LL * item.index * rows.batch_stride + item.channel * rows.channel_stride +
                                      column;
  const unsigned short* const second = lone ? first : first + rows.batch_stride;
  Samples x;
#pragma unroll
  for (int row = 0; row < sample_rows; ++row) {
    const int sample = row * row_length;
    const int live = row < whole_rows ? thread_samples : length - sample - column;
    x.re[row] = read_words<alignment, chunk_words>(first + sample, live);
    x.im[row] = read_words<alignment, chunk_words>(second + sample, lone ? 0 : live);
  }
  return x;
//]]
}

__device__ __forceinline__ void write_samples(const ConvArguments& arguments, const Rows<void>& rows, const Item& item,
//[[write_arguments
                                              int column, const Samples& x) {
//]]
//[[write_samples
  const bool lone = 2 * item.index + 1 == arguments.batch;
  unsigned short* const first = static_cast<unsigned short*>(rows.data) + 2LL * item.index * rows.batch_stride +
                                item.channel * rows.channel_stride + column;
  unsigned short* const second = lone ? first : first + rows.batch_stride;
#pragma unroll
  for (int row = 0; row < sample_rows; ++row) {
    const int sample = row * row_length;
    const int live = row < whole_rows ? thread_samples : length - sample - column;
    write_words<alignment>(first + sample, x.re[row], live);
    if (lone) continue;  // there is no second row
    write_words<alignment>(second + sample, x.im[row], live);
  }
//]]
}

//[[steps_in
//]]
// To frequencies, each in the memory of its block.
__device__ __forceinline__ void send_chunks(const ConvArguments& arguments, const Item& item, int column,
//[[send_arguments
                                            Samples& samples, SharedAddress place) {
//]]
//[[send
  (void)arguments, (void)item, (void)column;
  Chunks x;
#pragma unroll
  for (int w = 0; w < chunk_words; ++w) transform_word(samples, x, w);
#pragma unroll
  for (int f = 0; f < blocks; ++f) {
    const SharedAddress there = at_rank(place, f);
    store_at(there, x.re[f]);
    store_at(there + plane_bytes, x.im[f]);
  }
//]]
}

//[[steps_back
//]]
// From the blocks' frequencies to samples of y.
__device__ __forceinline__ void fetch_chunks(const ConvArguments& arguments, const Slice& slice, int turn, int column,
//[[fetch_arguments
                                             float scale, SharedAddress place) {
//]]
//[[fetch
  Chunks x;
#pragma unroll
  for (int f = 0; f < blocks; ++f) {
    const SharedAddress there = at_rank(place, f);
    load_from(there, x.re[f]);
    load_from(there + plane_bytes, x.im[f]);
  }
  Samples samples;
#pragma unroll
  for (int w = 0; w < chunk_words; ++w) transform_word_back(x, samples, w);
  const Item item = item_of(slice, turn);
  (void)scale;
  write_samples(arguments, {arguments.y, arguments.y_batch_stride, arguments.y_channel_stride}, item, column, samples);
//]]
}

// An item takes the place of the one that had it before: whose columns leave are the threads whose columns come, so
// that no block needs to be told that a place is free.
__device__ __forceinline__ void turn_columns(const ConvArguments& arguments, const Slice& slice, SharedAddress shared,
                                             int rank, int thread) {
  const int lane = thread % 32;
  // Where warps have not as many pieces each, the first ones have more.
  constexpr bool even = pieces_of_share % unit_warps == 0;
  const auto taker_of = [&](int slot) {
    return others_in_turn && slot % 2 == 1 ? (thread + unit_threads / 2) % unit_threads : thread;
  };
  const auto rounds_of = [&](int slot) {
    return (pieces_of_share + (even ? 0 : unit_warps - 1 - taker_of(slot) / 32)) / unit_warps;
  };
  const auto column_of = [&](int slot, int round) {
    return rank * share + (round * unit_threads + taker_of(slot)) * thread_samples;
  };
  const auto read = [&](const Item& item, int slot, int round) {
    return read_samples(arguments, {arguments.u, arguments.u_batch_stride, arguments.u_channel_stride}, item,
                        column_of(slot, round));
  };

//[[turn
  const Samples first = read(item_of(slice, 0), 0, 0);
  (void)first, (void)rounds_of, (void)lane, (void)shared;
//]]
}
