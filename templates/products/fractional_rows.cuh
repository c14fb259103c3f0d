// Rows of 256 = 16 x 16 whose first product has frequencies between: no twiddle comes before it.
//
// Row f of R holds the frequencies f + R (k2 + 16 k3), and its samples are 16 n2 + n3. With r = f / R its transform is
// sums over n2 with exp(-2 pi i n2 (k2 + r) / 16), a matrix of the row's own, times exp(-2 pi i n3 (k2 + r) / 256), and
// sums over n3 with exp(-2 pi i n3 k3 / 16), which all rows share. A phase of each frequency, which the way back takes
// back, makes the twiddle exp(-2 pi i (n3 + r) (k2 + r) / 256) and so symmetric: one tile serves both ways.
#pragma once

#include "contract16_halves.cuh"
#include "shared_tile.cuh"

#ifndef FFC_HOST  // the host has twins of these

// Four blocks: lane l gives the address of row l % 8 of block l / 8, and takes columns 2 (l % 4) and + 1 of row l / 4.
__device__ __forceinline__ void load_blocks(SharedAddress address, Packed& b0, Packed& b1, Packed& b2, Packed& b3) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(b0), "=r"(b1), "=r"(b2), "=r"(b3)
               : "r"(address)
               : "memory");
}

#endif

// Of a row: a tile, the twiddle, then its matrix as blocks of 8 x 8: even re, im, odd re, im. What a matrix needs
// besides is made of these four: shared memory is what such kernels are short of.
constexpr int row_factor_bytes = 1536;

__device__ __forceinline__ Halves make_row_matrix(Packed even_re, Packed even_im, Packed odd_re, Packed odd_im) {
  return {{even_re, even_im, neg(even_im), even_re},
          {odd_re, odd_im, neg(odd_im), odd_re},
          {neg(odd_re), neg(odd_im), odd_im, neg(odd_re)}};
}

__device__ __forceinline__ Halves load_row_matrix(SharedAddress factors, int lane) {
  Packed even_re, even_im, odd_re, odd_im;
  load_blocks(factors + tile_bytes + 16 * lane, even_re, even_im, odd_re, odd_im);
  return make_row_matrix(even_re, even_im, odd_re, odd_im);
}

// Its transpose, for role A on the way back.
__device__ __forceinline__ Halves load_row_matrix_transposed(SharedAddress factors, int lane) {
  Packed even_re, even_im, odd_re, odd_im;
  load_blocks_transposed(factors + tile_bytes + 16 * lane, even_re, even_im, odd_re, odd_im);
  return make_row_matrix(even_re, even_im, odd_re, odd_im);
}

// A row's samples with even n2, then those with odd n2, each lane naming a row of a block of either plane: as the first
// product takes them, real and imaginary parts side by side.
__device__ __forceinline__ Tile load_row_samples(SharedAddress even, SharedAddress odd) {
  Tile x;
  load_blocks_transposed(even, x.re[0], x.im[0], x.re[1], x.im[1]);
  load_blocks_transposed(odd, x.re[2], x.im[2], x.re[3], x.im[3]);
  return x;
}

// Halved products leave the even values of the last digit before the odd ones. Into that order, half a tile of a
// spectrum as it lies in memory, where a lane has four neighbours of two rows, by twos.
__device__ __forceinline__ void put_even_first(Packed (&x)[4]) {
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    const Packed first = x[row], second = x[2 + row];
    x[row] = (first & 0xffffu) | second << 16;
    x[2 + row] = first >> 16 | (second & 0xffff0000u);
  }
}

__device__ __forceinline__ void put_even_first(Tile& x) { put_even_first(x.re), put_even_first(x.im); }
