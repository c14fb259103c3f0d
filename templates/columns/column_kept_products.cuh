// Products between a column's samples and all the frequencies that a mask keeps of it, in one. These lie in slots as
// they do in the workspace: row k at its place, its mirror -k at last_place less that, as its conjugate.
//
// With C and S the sums of samples times the real and the imaginary parts of k's roots, the frequencies are C + i S at
// k and C - i S at -k.
#pragma once

#include "contract_columns.cuh"

constexpr int own_chunks = tile_chunks / unit_warps;  // of a warp: nobody else's products touch their columns
static_assert(own_chunks > 0 && 2 * spectrum_rows <= kept_slots, "a matrix holds all rows");

// The address of this lane's row of 16 samples, from section b on.
__device__ __forceinline__ SharedAddress samples_at(SharedAddress tile, int b, int chunk, int lane) {
  constexpr int rows_of_section = 16 / sections_at_once;
  const int row = lane % 16;
  return chunk_at(tile, lane / 16, 16 * (b + row / rows_of_section) + row % rows_of_section, chunk);
}

// Row R / 2, its own mirror, is there as that alone. An empty slot behind all rows stands for what it lacks, and others
// for mirrors of rows behind the last one, which are zero in the matrices. 16 slots on there are no bank conflicts.
__device__ __forceinline__ SharedAddress kept_at(SharedAddress tile, int chunk, int lane) {
  const int place = lane % 16;
  return chunk_at(tile, lane / 16, place + (2 * place == last_place ? 16 : 0), chunk);
}
__device__ __forceinline__ SharedAddress mirrors_at(SharedAddress tile, int chunk, int lane) {
  const int place = lane % 16;
  return chunk_at(tile, lane / 16, last_place - place + (place < spectrum_rows ? 0 : 16), chunk);
}

__device__ __forceinline__ Accumulator32 sum_of(const Accumulator32& x, const Accumulator32& y) {
  return {{x.value[0] + y.value[0], x.value[1] + y.value[1], x.value[2] + y.value[2], x.value[3] + y.value[3]}};
}

__device__ __forceinline__ Accumulator32 difference_of(const Accumulator32& x, const Accumulator32& y) {
  return {{x.value[0] - y.value[0], x.value[1] - y.value[1], x.value[2] - y.value[2], x.value[3] - y.value[3]}};
}

// `load` says what lies at an address.
template <class Load>
__device__ __forceinline__ void contract_tile_in(ColumnMatrices tables, SharedAddress tile, int thread, Load load) {
  const int lane = thread % 32, first = thread / 32 * own_chunks;
  Accumulator32 c_re[own_chunks], c_im[own_chunks], s_re[own_chunks], s_im[own_chunks];
#pragma unroll 2
  for (int b = 0; b < sections; b += sections_at_once) {
    const ColumnMatrix matrix = read_column_matrix(tables, b / sections_at_once, lane);
#pragma unroll
    for (int i = 0; i < own_chunks; ++i) {
      const Columns x = load(samples_at(tile, b, first + i, lane));
      multiply_block(c_re[i], matrix.re, x.re);
      multiply_block(c_im[i], matrix.re, x.im);
      multiply_block(s_re[i], matrix.im, x.re);
      multiply_block(s_im[i], matrix.im, x.im);
    }
  }
#pragma unroll
  for (int i = 0; i < own_chunks; ++i) {
    Columns kept, mirrors;
    unload(difference_of(c_re[i], s_im[i]), kept.re[0], kept.re[1]);
    unload(sum_of(s_re[i], c_im[i]), kept.im[0], kept.im[1]);
    unload(sum_of(c_re[i], s_im[i]), mirrors.re[0], mirrors.re[1]);
    unload(difference_of(s_re[i], c_im[i]), mirrors.im[0], mirrors.im[1]);
    store_columns(kept_at(tile, first + i, lane), kept);
    store_columns(mirrors_at(tile, first + i, lane), mirrors);
  }
}

// Back to samples, by the conjugates of the roots: what goes with their real and with their imaginary parts is X + X'
// and -i (X - X'), with X at k and X' at -k.
__device__ __forceinline__ void contract_tile_out(ColumnMatrices tables, SharedAddress tile, int thread) {
  const int lane = thread % 32, first = thread / 32 * own_chunks;
  Columns c[own_chunks], s[own_chunks];
#pragma unroll
  for (int i = 0; i < own_chunks; ++i) {
    const Columns kept = load_columns(kept_at(tile, first + i, lane));
    const Columns mirrors = load_columns(mirrors_at(tile, first + i, lane));
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      c[i].re[j] = add(kept.re[j], mirrors.re[j]), c[i].im[j] = sub(kept.im[j], mirrors.im[j]);
      s[i].re[j] = add(kept.im[j], mirrors.im[j]), s[i].im[j] = sub(mirrors.re[j], kept.re[j]);
    }
  }
#pragma unroll 2
  for (int b = 0; b < sections; b += sections_at_once) {
    const ColumnMatrix matrix = read_column_matrix(tables, b / sections_at_once, lane);
#pragma unroll
    for (int i = 0; i < own_chunks; ++i) {
      Accumulator32 re, im;
      multiply_block(re, matrix.re, c[i].re);
      multiply_block(im, matrix.re, c[i].im);
      multiply_block(re, matrix.im, s[i].re);
      multiply_block(im, matrix.im, s[i].im);
      Columns x;
      unload(re, x.re[0], x.re[1]);
      unload(im, x.im[0], x.im[1]);
      store_columns(samples_at(tile, b, first + i, lane), x);
    }
  }
}
