// What a thread takes at a time: samples of a pair of rows, which are one complex row, and frequencies of its columns.
#pragma once

#include "cluster_words.cuh"
#include "column_butterfly.cuh"

struct Samples {
  Words<chunk_words> re[sample_rows], im[sample_rows];
};

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
