// Sums of rows alone, whose frequencies 4 k + 1 of `length` are a fourth of them: no row is another's mirror, and the
// points that they give hold all samples, in a quarter of the row each part of them under a sign of its own.
#pragma once

static_assert(4 * points == length && 256 * rows * column_length == points, "rows of frequencies are tiles of 256");
static_assert(sums_rows == column_length, "no row has a mirror");

// Conjugated: the forward transform of the conjugates is the conjugate of the samples.
__device__ __forceinline__ void place_frequencies(const float4* sums, int slices, float2* to, Share share) {
  // Two neighbours read the 32 bytes that two lanes have side by side; the next ones take neighbouring rows, whose
  // frequencies lie side by side where they are written.
  for (int i = share.first; i < sums_rows * rows * 32; i += share.step) {
    const int f = i / 2 % sums_rows, row = i / (32 * sums_rows);
    const int lane = i / (2 * sums_rows) % 16 * 2 + i % 2;
    const Sums sum = sums_of_slices(sums + (f * rows + row) * tile_words, slices, lane);
#pragma unroll
    for (int value = 0; value < 8; ++value) {
      const int inner = lane / 4 + value / 2 % 2 * 8 + 16 * (lane % 4 * 2 + value % 2 + value / 4 * 8);
      store_global(to + f + column_length * (row + rows * inner), float2{sum.re[value], -sum.im[value]});
    }
  }
}

// Point n as the samples have it, conjugated: behind a transform at whole frequencies comes what a fourth is more.
__device__ __forceinline__ float2 turned(float2 value, int n) { return multiply(value, unit_root<length>(n)); }

// Samples of the real row from point n, as the transform gives it, where taps reach no further than the first quarter:
// `take(sample, value)`. Those behind it are nothing.
template <class Take>
__device__ __forceinline__ void each_sample(int n, float2 value, Take take) {
  take(n, turned(value, n).x);
  for (int tap = n + points; tap < filter_length; tap += points) take(tap, 0.0f);
}
