// One digit of a transform whose points lie in shared memory as packed complex words (re low, im high).
#pragma once

#include "barriers.cuh"
#include "global.cuh"
#include "mma_acc32.cuh"
#include "shared_words.cuh"

//[[pass_constants
constexpr int points = 256;
constexpr int warps = 8;
//]]

// The words of two consecutive rows as a pair of real parts and a pair of imaginary parts.
__device__ __forceinline__ Packed low_halves(unsigned int a, unsigned int b) { return (a & 0xffffu) | b << 16; }
__device__ __forceinline__ Packed high_halves(unsigned int a, unsigned int b) { return a >> 16 | (b & 0xffff0000u); }

__device__ __forceinline__ float2 to_complex(Packed word) { return {low_half(word), high_half(word)}; }

__device__ __forceinline__ float2 times(float2 a, float2 b) {
  return {fmaf(a.x, b.x, -(a.y * b.y)), fmaf(a.x, b.y, a.y * b.x)};
}
__device__ __forceinline__ float2 conjugate(float2 a) { return {a.x, -a.y}; }

// Contracts the digit of that radix and stride in place with its DFT matrix (conjugate: with the conjugate), and gives
// every result, at its position, to `finish` before it is rounded. A warp does 8 columns at a time: the matrix is the A
// operand, padded with zeros to 16 x 16 tiles; rows beyond the radix are zero in both.
template <int radix, int stride, bool inverse, class Finish>
__device__ __forceinline__ void contract_digit(SharedAddress words, const uint4* matrix, Finish finish) {
  constexpr int tiles = (radix + 15) / 16;
  constexpr int columns = points / radix;
  const int lane = threadIdx.x % 32;
  const auto position = [](int column, int k) {
    return column / stride * (stride * radix) + column % stride + k * stride;
  };
  for (int first = 8 * (threadIdx.x / 32); first < columns; first += 8 * warps) {
    Accumulator32 re[tiles], im[tiles];
    const int read_column = first + lane / 4;
#pragma unroll
    for (int inner = 0; inner < tiles; ++inner) {
      Packed x_re[2], x_im[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int k = 16 * inner + 8 * half + 2 * (lane % 4);
        const bool inside = read_column < columns;
        const unsigned int low = inside && k < radix ? load_shared4(words + 4 * position(read_column, k)) : 0;
        const unsigned int high = inside && k + 1 < radix ? load_shared4(words + 4 * position(read_column, k + 1)) : 0;
        x_re[half] = low_halves(low, high), x_im[half] = high_halves(low, high);
      }
#pragma unroll
      for (int outer = 0; outer < tiles; ++outer) {
        const uint4 f_re = load_constant(matrix + (outer * tiles + inner) * 64 + lane);
        const uint4 f_im = load_constant(matrix + (outer * tiles + inner) * 64 + 32 + lane);
        const uint4 minus = {neg(f_im.x), neg(f_im.y), neg(f_im.z), neg(f_im.w)};
        const uint4 to_re = inverse ? f_im : minus;
        const uint4 to_im = inverse ? minus : f_im;
        mma(re[outer], f_re.x, f_re.y, f_re.z, f_re.w, x_re[0], x_re[1]);
        mma(im[outer], f_re.x, f_re.y, f_re.z, f_re.w, x_im[0], x_im[1]);
        mma(re[outer], to_re.x, to_re.y, to_re.z, to_re.w, x_im[0], x_im[1]);
        mma(im[outer], to_im.x, to_im.y, to_im.z, to_im.w, x_re[0], x_re[1]);
      }
    }
    // Every lane has read: the columns can be overwritten.
    warp_barrier();
#pragma unroll
    for (int outer = 0; outer < tiles; ++outer)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int k = 16 * outer + lane / 4 + 8 * (i / 2);
        const int column = first + 2 * (lane % 4) + i % 2;
        if (k >= radix || column >= columns) continue;
        const int at = position(column, k);
        const float2 value = finish(at, float2{re[outer].value[i], im[outer].value[i]});
        store_shared4(words + 4 * at, pack(value.x, value.y));
      }
  }
}
