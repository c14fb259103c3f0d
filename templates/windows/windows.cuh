// Overlap-save: a pair is two windows of rows x 256 samples. The first `step` of them are new and become results; the
// others are the samples before them, which the filter looks back on and which are, in the circle of the transform, in
// front of the first.
#pragma once

constexpr int window_samples = rows * row_samples;
constexpr int read_back = (reach + 7) / 8 * 8;  // samples before the new ones that are read, in whole chunks

struct Window {
  int row;          // of the batch
  long long start;  // its first new sample
  int begin, end;   // its samples that exist, counted from `start`; there is no window where end is not above 0
};

// Pairs of a channel: two rows go from window to window in step, a last row without a partner takes two at a time.
__device__ __forceinline__ int window_pairs(int batch) { return batch / 2 * windows + batch % 2 * ((windows + 1) / 2); }

// Part `part`, 0 or 1, of a pair.
__device__ __forceinline__ Window window_at(int pair, int part, int batch) {
  const int couple = pair / windows, turn = pair % windows;
  const bool lone = 2 * couple + 1 == batch;
  const long long start = static_cast<long long>(lone ? 2 * turn + part : turn) * step;
  const int begin = start < read_back ? -static_cast<int>(start) : -read_back;
  const int end = length - start < step ? static_cast<int>(length - start) : step;
  return {lone ? 2 * couple : 2 * couple + part, start, begin, end};
}

// Where a window's sample lies, counted from the first new one.
__device__ __forceinline__ int position_of(int sample) { return sample < step ? sample : sample - window_samples; }
