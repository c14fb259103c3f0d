// What a thread takes at a time: samples of a pair of rows, which are one complex row, and frequencies of its columns.
#pragma once

#include "cluster_words.cuh"
#include "column_butterfly.cuh"

struct Samples {
  Words<chunk_words> re[sample_rows], im[sample_rows];
};

// Pair `item` of a channel, as it is stored.
__device__ __forceinline__ Samples read_samples(const void* tensor, long long batch_stride, long long channel_offset,
                                                int item, int batch, int column) {
  const bool lone = 2 * item + 1 == batch;
  const unsigned short* const first =
      static_cast<const unsigned short*>(tensor) + 2LL * item * batch_stride + channel_offset + column;
  const unsigned short* const second = lone ? first : first + batch_stride;
  Samples x;
#pragma unroll
  for (int row = 0; row < sample_rows; ++row) {
    const int sample = row * row_length;
    const int live = all_exist ? thread_samples : length - sample - column;
    x.re[row] = read_words<alignment, chunk_words>(first + sample, live);
    x.im[row] = read_words<alignment, chunk_words>(second + sample, lone ? 0 : live);
  }
  return x;
}

__device__ __forceinline__ void write_samples(void* tensor, long long batch_stride, long long channel_offset, int item,
                                              int batch, int column, const Samples& x) {
  unsigned short* const first =
      static_cast<unsigned short*>(tensor) + 2LL * item * batch_stride + channel_offset + column;
#pragma unroll
  for (int row = 0; row < sample_rows; ++row) {
    const int sample = row * row_length;
    const int live = all_exist ? thread_samples : length - sample - column;
    write_words<alignment>(first + sample, x.re[row], live);
    if (2 * item + 1 < batch) write_words<alignment>(first + batch_stride + sample, x.im[row], live);
  }
}

// One word of every row to frequencies. Rows of the upper half of them are kept as conjugates, which take the factors
// of their mirrors.
__device__ __forceinline__ void transform_word(const Samples& samples, Chunks& x, int w) {
  Packed re[blocks], im[blocks];
#pragma unroll
  for (int row = 0; row < blocks; ++row) {
    re[row] = row < sample_rows ? scaled<forward_scale>(samples.re[row].word[w]) : 0;
    im[row] = row < sample_rows ? scaled<forward_scale>(samples.im[row].word[w]) : 0;
  }
//[[forward_butterfly
  butterfly<false>(re, im);
//]]
#pragma unroll
  for (int f = 0; f < blocks; ++f)
    x.re[f].word[w] = re[f], x.im[f].word[w] = 2 * f > blocks ? im[f] ^ both_signs : im[f];
}

__device__ __forceinline__ void transform_word_back(const Chunks& x, Samples& samples, int w) {
  Packed re[blocks], im[blocks];
#pragma unroll
  for (int f = 0; f < blocks; ++f) {
    re[f] = scaled<inverse_scale>(x.re[f].word[w]);
    im[f] = scaled<inverse_scale>(2 * f > blocks ? x.im[f].word[w] ^ both_signs : x.im[f].word[w]);
  }
  butterfly<true>(re, im);
#pragma unroll
  for (int row = 0; row < sample_rows; ++row) samples.re[row].word[w] = re[row], samples.im[row].word[w] = im[row];
}
