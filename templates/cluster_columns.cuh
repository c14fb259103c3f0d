// A block's share of the columns of a cluster: its row_length / column_length samples of every row, from u (and w) to
// the blocks that hold the rows of frequencies, and from there to y (and v).
#pragma once

#include "cluster_words.cuh"
#include "storage_fp16.cuh"

constexpr int share = row_length / column_length;  // samples of a row that a block takes
constexpr int unit_threads = 32 * unit_warps;
constexpr int thread_samples = 2 * chunk_words;
constexpr int rounds = share / (thread_samples * unit_threads);
static_assert(rounds * thread_samples * unit_threads == share, "threads share a block's columns evenly");

// What a thread holds of a pair's columns: chunk_words of each row or frequency, in both parts.
struct Chunks {
  Words<chunk_words> re[column_length], im[column_length];
};

// The chunks at `column` of both rows of a pair, as they are stored.
__device__ __forceinline__ Chunks read_chunks(const void* tensor, long long batch_stride, long long channel_offset,
                                              int pair, bool lone, int column) {
  const unsigned short* const first =
      static_cast<const unsigned short*>(tensor) + 2LL * pair * batch_stride + channel_offset + column;
  const unsigned short* const second = lone ? first : first + batch_stride;
  Chunks x;
#pragma unroll
  for (int row = 0; row < sample_rows; ++row) {
    const int sample = row * row_length;
    const int live = all_exist ? thread_samples : length - sample - column;
    x.re[row] = read_words<alignment, chunk_words>(first + sample, live);
    x.im[row] = read_words<alignment, chunk_words>(second + sample, lone ? 0 : live);
  }
  return x;
}

// Times a power of two that is given as a pair of halves.
template <Packed factor>
__device__ __forceinline__ Packed scaled(Packed x) {
  return factor == 0x3c003c00u ? x : mul(x, factor);
}

// Of one word of every row: the butterfly down the columns. Rows of the upper half of the frequencies are kept as
// conjugates, which take the factors of their mirrors.
__device__ __forceinline__ void transform_word(Chunks& x, int w) {
  Packed re[column_length], im[column_length];
#pragma unroll
  for (int row = 0; row < column_length; ++row) {
    re[row] = row < sample_rows ? scaled<forward_scale>(x.re[row].word[w]) : 0;
    im[row] = row < sample_rows ? scaled<forward_scale>(x.im[row].word[w]) : 0;
  }
//[[forward_butterfly
  butterfly<false>(re, im);
//]]
#pragma unroll
  for (int f = 0; f < column_length; ++f)
    x.re[f].word[w] = re[f], x.im[f].word[w] = 2 * f > column_length ? im[f] ^ both_signs : im[f];
}

__device__ __forceinline__ void transform_word_back(Chunks& x, int w) {
  Packed re[column_length], im[column_length];
#pragma unroll
  for (int f = 0; f < column_length; ++f) {
    re[f] = scaled<inverse_scale>(x.re[f].word[w]);
    im[f] = scaled<inverse_scale>(2 * f > column_length ? x.im[f].word[w] ^ both_signs : x.im[f].word[w]);
  }
  butterfly<true>(re, im);
#pragma unroll
  for (int row = 0; row < sample_rows; ++row) x.re[row].word[w] = re[row], x.im[row].word[w] = im[row];
}

// To frequencies, each in the memory of its block.
__device__ __forceinline__ void send_chunks(const ConvArguments& arguments, const Slice& slice, int pair, int column,
                                            Chunks& x, SharedAddress place) {
//[[to_packed
  (void)arguments, (void)slice, (void)pair, (void)column;
//]]
#pragma unroll
  for (int w = 0; w < chunk_words; ++w) transform_word(x, w);
#pragma unroll
  for (int f = 0; f < column_length; ++f) {
    const SharedAddress there = at_rank(place, f);
    store_at(there, x.re[f]);
    store_at(there + plane_bytes, x.im[f]);
  }
}

// From the blocks' frequencies to samples of y.
__device__ __forceinline__ void fetch_chunks(const ConvArguments& arguments, const Slice& slice, int pair, int column,
                                             float scale, SharedAddress place) {
  Chunks x;
#pragma unroll
  for (int f = 0; f < column_length; ++f) {
    const SharedAddress there = at_rank(place, f);
    load_from(there, x.re[f]);
    load_from(there + plane_bytes, x.im[f]);
  }
#pragma unroll
  for (int w = 0; w < chunk_words; ++w) transform_word_back(x, w);
  const bool lone = 2 * pair + 1 == arguments.batch;
//[[to_stored
  (void)scale;
//]]
  unsigned short* const first = static_cast<unsigned short*>(arguments.y) + 2LL * pair * arguments.y_batch_stride +
                                slice.channel * arguments.y_channel_stride + column;
#pragma unroll
  for (int row = 0; row < sample_rows; ++row) {
    const int sample = row * row_length;
    const int live = all_exist ? thread_samples : length - sample - column;
    write_words<alignment>(first + sample, x.re[row], live);
    if (!lone) write_words<alignment>(first + arguments.y_batch_stride + sample, x.im[row], live);
  }
}

// A pair takes the place of the one that had it before: whose columns leave are the threads whose columns come, so that
// no block needs to be told that a place is free.
__device__ __forceinline__ void turn_columns(const ConvArguments& arguments, const Slice& slice, SharedAddress shared,
                                             int rank, int thread) {
  const unsigned char* const spectrum_end =
      static_cast<const unsigned char*>(arguments.spectrum) + (slice.channel + 1) * spectrum_channel_bytes;
  const float scale = load_constant(reinterpret_cast<const float*>(spectrum_end - 16));
  const int lane = thread % 32;
  const auto column_of = [&](int round) { return rank * share + (round * unit_threads + thread) * thread_samples; };
  const auto read = [&](int pair, int round) {
    return read_chunks(arguments.u, arguments.u_batch_stride, slice.channel * arguments.u_channel_stride, pair,
                       2 * pair + 1 == arguments.batch, column_of(round));
  };

  Chunks next;  // on their way from u while others leave
  if (slice.pairs > 0) next = read(slice.first_pair, 0);
  for (int turn = 0; turn < slice.pairs + ring; ++turn) {
    const int pair = slice.first_pair + turn, slot = turn % ring;
    const bool leaves = turn >= ring && turn - ring < slice.pairs, comes = turn < slice.pairs;
    if (leaves) wait_for_phase(rows_done(shared, slot), turn / ring - 1);
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
      const int column = column_of(round);
      const SharedAddress place = shared + slot * buffer_bytes + place_of_sample(column);
      if (leaves) fetch_chunks(arguments, slice, pair - ring, column, scale, place);
      if (comes) send_chunks(arguments, slice, pair, column, next, place);
      const bool same = round + 1 < rounds;
      if (turn + (same ? 0 : 1) < slice.pairs) next = read(same ? pair : pair + 1, same ? round + 1 : 0);
    }
    warp_barrier();
    if (comes && lane < column_length) arrive_at(at_rank(columns_done(shared, slot), lane));
  }
}
