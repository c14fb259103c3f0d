// Matrices down the columns of a split plan's rows that carry the part of A of split_twiddle.cuh: the samples A =
// butterfly n + a go to frequencies between, k + f / R of the tile digit, so that no twiddle comes before or behind.
//
// A phase of each k, which the way back takes back, makes the matrix symmetric where a is 0: where there is no
// butterfly one serves both ways.
#pragma once

#include "split_twiddle.cuh"
#include "tile.cuh"

// column_scale exp(-2 pi i exponent / (R rows)), or 0.
__device__ __forceinline__ float2 matrix_element(bool exists, int exponent) {
  constexpr int length = transform_length / row_samples;
  const float2 root = unit_root<length>(exponent % length);
  const float scale = exists ? column_scale : 0;
  return make_float2(scale * root.x, scale * root.y);
}

// The matrix of value a as B operand, from n to k or, transposed, from k to n: its exponents are (butterfly n + a)
// (f + R k) + butterfly f k, a straight line along either digit.
__device__ __forceinline__ MatrixB split_matrix(int frequency, int a, bool transposed, int lane) {
  constexpr int butterfly = rows / tile_radix;
  Packed re[4], im[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int to = lane / 4 + e / 2 * 8, from = 2 * (lane % 4) + e % 2 * 8;
    const int n = transposed ? to : from, k = transposed ? from : to;
    const auto element = [&](int i) {
      const int of_n = butterfly * (transposed ? n : n + i) + a, of_k = transposed ? k + i : k;
      return matrix_element(to < tile_radix && from + i < tile_radix,
                            of_n * (frequency + frequency_step * of_k) + butterfly * frequency * of_k);
    };
    const PackedRoots pair = packed_roots(element(0), element(1));
    re[e] = pair.re, im[e] = pair.im;
  }
  return make_matrix_b(make_uint4(re[0], re[1], re[2], re[3]), make_uint4(im[0], im[1], im[2], im[3]));
}

__device__ __forceinline__ void store_matrix_b(SharedAddress to, int lane, const MatrixB& f) {
  store_shared(to + 16 * lane, make_uint4(f.re[0], f.re[1], f.re[2], f.re[3]));
  store_shared(to + tile_bytes / 2 + 16 * lane, make_uint4(f.im[0], f.im[1], f.im[2], f.im[3]));
}

// The phase of the frequencies of a row of 256.
__device__ __forceinline__ PackedRoots column_phase(int frequency, int row) {
  constexpr int length = transform_length / row_samples;
  const float2 root = unit_root<length>(rows / tile_radix * frequency * (row % tile_radix) % length);
  return packed_roots(root, root);
}

// Gives it to frequencies without one.
__device__ __forceinline__ void give_phase(Tile& x, const PackedRoots& phase) {
#pragma unroll
  for (int e = 0; e < 4; ++e) multiply(x.re[e], x.im[e], phase.re, phase.im);
}
