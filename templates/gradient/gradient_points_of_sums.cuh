// Frequencies at a right angle from where they were summed to their order.
#pragma once

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
