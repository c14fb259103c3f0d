// Overlap-save, a window at a time: 2 rows x 256 samples as rows x 256 complex ones. The first samples of a window are
// its halo, which the filter looks back on; the `step` behind them are new and become results.
//
// Modulo x^P = -i, P = rows x 256, the polynomial of a window's samples is earlier half - i later half. Stored is i
// times that: the later half as real part, the earlier one as imaginary part. What wraps around changes its sign, but
// it comes down on the halo alone.
#pragma once

constexpr int half_samples = rows * row_samples;
constexpr int halo = 2 * half_samples - step;
constexpr int read_back = (reach + 7) / 8 * 8;  // samples before the new ones that are read, in whole chunks
static_assert(halo <= half_samples, "the halo lies in the earlier half");

struct Window {
  unsigned int row;  // of the batch
  long long start;   // its first new sample
  int begin, end;    // its samples that exist, counted from `start`
};

__device__ __forceinline__ Window window_at(unsigned int item) {
  const long long start = static_cast<long long>(item % windows) * step;
  const int begin = start < read_back ? -static_cast<int>(start) : -read_back;
  const int end = length - start < step ? static_cast<int>(length - start) : step;
  return {item / windows, start, begin, end};
}

// Where a sample of the real part (0) or of the imaginary part (1) lies, counted from the window's first new one.
__device__ __forceinline__ int position_of(int sample, int part) {
  return (part == 0 ? half_samples : 0) + sample - halo;
}
