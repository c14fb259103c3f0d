// Sums of real rows of `length` samples, which are complex ones of half the length: even samples are real parts, odd
// ones imaginary.
#pragma once

constexpr int row_length = length / column_length;
static_assert(2 * points == length && 256 * rows == row_length, "rows of frequencies are tiles of 256");
static_assert(sums_rows == column_length / 2 + 1, "the others are their mirrors");

// The same of one frequency: f + column_length k in row f.
__device__ __forceinline__ float2 sum_at(const float4* sums, int slices, int f, int k) {
  const int inner = k / rows;  // row inner % 16 and column inner / 16 of the tile
  const int lane = inner % 8 * 4 + inner / 16 % 8 / 2;
  const int value = inner / 128 * 4 + inner % 16 / 8 * 2 + inner / 16 % 2;
  const float* from = reinterpret_cast<const float*>(sums + (f * rows + k % rows) * tile_words) + value / 4 * 128 +
                      lane * 4 + value % 4;
  float2 sum = {load_global(from), load_global(from + 256)};
  for (int slice = 1; slice < slices; ++slice) {
    from += 4LL * channel_words;
    sum.x += load_global(from), sum.y += load_global(from + 256);
  }
  return sum;
}

// Of rows that are their own mirrors: the Hermitian part of what was summed, twice. Its transform is real.
__device__ __forceinline__ float2 hermitian(const float4* sums, int slices, int frequency) {
//[[dropped
//]]
  const int f = frequency % column_length, k = frequency / column_length;
  const int mirror = (length - frequency) % length / column_length;
  const float2 a = sum_at(sums, slices, f, k), b = sum_at(sums, slices, f, mirror);
  return {a.x + b.x, a.y - b.y};
}

// Frequency k of the complex row, conjugated, and of points - k as it is: the forward transform of the conjugates is
// the conjugate of the samples. `low` and `high` are the real row's frequencies k and points + k.
struct RowFrequencies {
  float2 at, mirrored;
};

__device__ __forceinline__ RowFrequencies row_frequencies(float2 low, float2 high, int k) {
  const float2 even = {low.x + high.x, low.y + high.y}, odd = {low.x - high.x, low.y - high.y};
  const float2 root = unit_root<length>(k);
  // odd times the conjugate root; i times that belongs to even.
  const float2 turned = {odd.x * root.x + odd.y * root.y, odd.y * root.x - odd.x * root.y};
  return {{even.x - turned.y, -(even.y + turned.x)}, {even.x + turned.y, even.y - turned.x}};
}

// Rows hold the sum of frequencies of both signs but for 0 and column_length / 2, which are their own mirrors. A lane
// of a tile has four frequencies k and the four points + k, which are all that four places and their mirrors need.
__device__ __forceinline__ void place_frequencies(const float4* sums, int slices, float2* to, Share share) {
  // Neighbours take neighbouring rows, whose frequencies lie side by side.
  for (int i = share.first; i < sums_rows * rows * 32; i += share.step) {
    const int f = i % sums_rows, lane = i / sums_rows % 32, row = i / (32 * sums_rows);
    const bool own_mirror = f == 0 || 2 * f == column_length;
    const Sums sum = sums_of_slices(sums + (f * rows + row) * tile_words, slices, lane);
#pragma unroll
    for (int value = 0; value < 4; ++value) {
      const int inner = lane / 4 + value / 2 * 8 + 16 * (lane % 4 * 2 + value % 2);
      const int k = f + column_length * (row + rows * inner);
      float2 low = {sum.re[value], sum.im[value]}, high = {sum.re[value + 4], sum.im[value + 4]};
//[[dropped_pair
//]]
      if (own_mirror) low = hermitian(sums, slices, k), high = hermitian(sums, slices, points + k);
      const RowFrequencies both = row_frequencies(low, high, k);
      store_global(to + k, both.at);
      if (!own_mirror) store_global(to + points - k, both.mirrored);
    }
  }
}

// Samples of the real row from point n, as the transform gives it: `take(sample, value)`.
template <class Take>
__device__ __forceinline__ void each_sample(int n, float2 value, Take take) {
  take(2 * n, value.x), take(2 * n + 1, -value.y);
}
