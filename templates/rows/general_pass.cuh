// Passes over a digit of a transform whose points are packed complex words (re low, im high), wherever they lie.
#pragma once

#include "barriers.cuh"
#include "compute_anew.cuh"
#include "global.cuh"
#include "mma_acc32.cuh"
#include "shared_words.cuh"

//[[pass_constants
constexpr int warps = 8;
constexpr int last_radix = 16;
constexpr int padding = 1;  // words behind each column of the last digit in shared memory: even strides share banks
//]]

// The words of two consecutive rows as a pair of real parts and a pair of imaginary parts.
__device__ __forceinline__ Packed low_halves(unsigned int a, unsigned int b) { return (a & 0xffffu) | b << 16; }
__device__ __forceinline__ Packed high_halves(unsigned int a, unsigned int b) { return a >> 16 | (b & 0xffff0000u); }

__device__ __forceinline__ float2 to_complex(Packed word) { return {low_half(word), high_half(word)}; }

__device__ __forceinline__ float2 times(float2 a, float2 b) {
  return {fmaf(a.x, b.x, -(a.y * b.y)), fmaf(a.x, b.y, a.y * b.x)};
}
__device__ __forceinline__ float2 conjugate(float2 a) { return {a.x, -a.y}; }

// Where value k of a digit lies in a column of it.
template <int radix, int stride>
__device__ __forceinline__ int position(int column, int k) {
  return column / stride * (stride * radix) + column % stride + k * stride;
}

// Where that is in shared memory.
__device__ __forceinline__ int padded(int at) { return at + padding * (at / last_radix); }

// What takes 16 values of a digit to 16 of its frequencies: the DFT matrix is symmetric, so its registers as operand A
// are, x and z, y and w, those as operand B of the frequencies' halves. Padded with zeros.
struct MatrixTile {
  uint4 re, im;
};

template <int radix>
__device__ __forceinline__ MatrixTile load_tile(const uint4* matrix, int outer, int inner, int lane) {
  const uint4* const tile = matrix + (outer * ((radix + 15) / 16) + inner) * 64 + lane;
  return {load_constant(tile), load_constant(tile + 32)};
}

#ifndef FFC_HOST  // the host has twins of these

// What is read there is not kept in registers from before: several tiles would fill them.
__device__ __forceinline__ void read_anew(const uint4*& from) { asm volatile("" : "+l"(from)); }

#endif

// 16 columns of 16 values of a digit, as operand A: register e has columns lane/4 + 8 (e%2) and values 2 (lane%4) +
// 8 (e/2) and the next.
struct ColumnsTile {
  Packed re[4], im[4];
};

__device__ __forceinline__ uint4 minus(const uint4& a) { return {neg(a.x), neg(a.y), neg(a.z), neg(a.w)}; }

// Adds their products with a tile of the matrix, or its conjugate, to the two halves of 16 frequencies.
template <bool inverse>
__device__ __forceinline__ void multiply_columns(Accumulator32 (&re)[2], Accumulator32 (&im)[2], const ColumnsTile& x,
                                                 const MatrixTile& f) {
  const uint4 to_re = inverse ? f.im : minus(f.im);
  const uint4 to_im = inverse ? minus(f.im) : f.im;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    mma(re[half], x.re[0], x.re[1], x.re[2], x.re[3], half ? f.re.y : f.re.x, half ? f.re.w : f.re.z);
    mma(im[half], x.im[0], x.im[1], x.im[2], x.im[3], half ? f.re.y : f.re.x, half ? f.re.w : f.re.z);
    mma(re[half], x.im[0], x.im[1], x.im[2], x.im[3], half ? to_re.y : to_re.x, half ? to_re.w : to_re.z);
    mma(im[half], x.re[0], x.re[1], x.re[2], x.re[3], half ? to_im.y : to_im.x, half ? to_im.w : to_im.z);
  }
}

// 16 columns from `first` on; zeros where there are none.
template <int radix, int columns, int tiles, class Read>
__device__ __forceinline__ void read_columns(ColumnsTile (&x)[tiles], int first, int lane, Read read) {
  const int k = 2 * (lane % 4);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int column = first + lane / 4 + 8 * half;
    const auto line = read(column, k);
#pragma unroll
    for (int step = 0; step < 16 * tiles; step += 8) {
      const unsigned int low = column < columns && k + step < radix ? line(step) : 0;
      const unsigned int high = column < columns && k + step + 1 < radix ? line(step + 1) : 0;
      ColumnsTile& tile = x[step / 16];
      const int e = half + step / 8 % 2 * 2;
      tile.re[e] = low_halves(low, high), tile.im[e] = high_halves(low, high);
    }
  }
}

// Their products, 16 frequencies at a time.
template <int radix, bool inverse, int columns, int tiles, class Write>
__device__ __forceinline__ void write_products(const ColumnsTile (&x)[tiles], const uint4* matrix, int first, int lane,
                                               Write write) {
  const int column = first + lane / 4, k = 2 * (lane % 4);
  const auto upper = write(column, k);
  const auto lower = write(column + 8, k);
#pragma unroll
  for (int outer = 0; outer < tiles; ++outer) {
    Accumulator32 re[2], im[2];
#pragma unroll
    for (int inner = 0; inner < tiles; ++inner)
      multiply_columns<inverse>(re, im, x[inner], load_tile<radix>(matrix, outer, inner, lane));
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int step = 16 * outer + 8 * half + i;
        if (k + step >= radix) continue;
        if (column < columns) upper(step, float2{re[half].value[i], im[half].value[i]});
        if (column + 8 < columns) lower(step, float2{re[half].value[2 + i], im[half].value[2 + i]});
      }
  }
}

// Contracts a digit of that radix with its DFT matrix (inverse: with the conjugate), 16 columns of a warp at a time.
// `read(column, k)` says where a column is from value k on: what it returns is called with how much further, which is a
// constant, and gives the operand A. Every result is handed to what `write(column, k)` returns, in fp32. All of a
// column is read before any of it is written.
template <int radix, bool inverse, int columns, class Read, class Write>
__device__ __forceinline__ void contract_digit(const uint4* matrix, Read read, Write write) {
  constexpr int tiles = (radix + 15) / 16;
  int lane =
      threadIdx.x % 32;  // computed anew, and addresses and matrices with it: kept, they would fill the registers
#pragma unroll 1
  for (int first = 16 * (threadIdx.x / 32); first < columns; first += 16 * warps) {
    compute_anew(lane);
    ColumnsTile x[tiles];
    read_columns<radix, columns>(x, first, lane, read);
    warp_barrier();
    compute_anew(lane);
    write_products<radix, inverse, columns>(x, matrix, first, lane, write);
  }
}

// The last digit there and back: its frequencies stay in registers, where they are multiplied by what `factor(column,
// k)` gives, likewise.
template <int radix, int columns, class Read, class Factor, class Write>
__device__ __forceinline__ void convolve_digit(const uint4* matrix, Read read, Factor factor, Write write) {
  constexpr int tiles = (radix + 15) / 16;
  int lane =
      threadIdx.x % 32;  // computed anew, and addresses and matrices with it: kept, they would fill the registers
#pragma unroll 1
  for (int first = 16 * (threadIdx.x / 32); first < columns; first += 16 * warps) {
    compute_anew(lane);
    ColumnsTile x[tiles], z[tiles];
    read_columns<radix, columns>(x, first, lane, read);
    const int column = first + lane / 4, k = 2 * (lane % 4);
    const auto upper = factor(column, k);
    const auto lower = factor(column + 8, k);
#pragma unroll
    for (int outer = 0; outer < tiles; ++outer) {
      Accumulator32 re[2], im[2];
#pragma unroll
      for (int inner = 0; inner < tiles; ++inner)
        multiply_columns<false>(re, im, x[inner], load_tile<radix>(matrix, outer, inner, threadIdx.x % 32));
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int step = 16 * outer + 8 * (e / 2);
        float2 value[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int at = 2 * (e % 2) + i;
          const bool inside = column + 8 * (e % 2) < columns && k + step + i < radix;
          const float2 by = !inside ? float2{0, 0} : e % 2 == 0 ? upper(step + i) : lower(step + i);
          value[i] = times({re[e / 2].value[at], im[e / 2].value[at]}, by);
        }
        z[outer].re[e] = pack(value[0].x, value[1].x), z[outer].im[e] = pack(value[0].y, value[1].y);
      }
    }
    if (tiles > 1) read_anew(matrix);
    warp_barrier();
    compute_anew(lane);
    write_products<radix, true, columns>(z, matrix, first, lane, write);
  }
}
