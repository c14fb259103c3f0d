// What a thread takes at a time: samples of a row alone, and frequencies k + 1/4 of its columns.
//
// With those, a transform of P points is one modulo x^P = -i: of the convolution of two real rows, what comes behind
// the P samples turns imaginary, and the real part is the convolution as if padded.
#pragma once

#include "cluster_words.cuh"
#include "column_butterfly.cuh"

struct Samples {
  Words<chunk_words> re[sample_rows];
};

// One word of every row to frequencies: row r times exp(-2 pi i r / (4 blocks)) ahead of the butterfly.
__device__ __forceinline__ void transform_word(const Samples& samples, Chunks& x, int w) {
  Packed re[blocks], im[blocks];
#pragma unroll
  for (int row = 0; row < blocks; ++row) {
    re[row] = row < sample_rows ? mul(samples.re[row].word[w], forward_cosine(row)) : 0;
    im[row] = row < sample_rows ? neg(mul(samples.re[row].word[w], forward_sine(row))) : 0;
  }
//[[forward_butterfly
  butterfly<false>(re, im);
//]]
#pragma unroll
  for (int f = 0; f < blocks; ++f) x.re[f].word[w] = re[f], x.im[f].word[w] = im[f];
}

__device__ __forceinline__ void transform_word_back(const Chunks& x, Samples& samples, int w) {
  Packed re[blocks], im[blocks];
#pragma unroll
  for (int f = 0; f < blocks; ++f)
    re[f] = scaled<inverse_scale>(x.re[f].word[w]), im[f] = scaled<inverse_scale>(x.im[f].word[w]);
  butterfly<true>(re, im);
#pragma unroll
  for (int row = 0; row < sample_rows; ++row)
    samples.re[row].word[w] = fma(re[row], inverse_cosine(row), neg(mul(im[row], inverse_sine(row))));
}
