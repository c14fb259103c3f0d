// Gradients in windows: where the filter looks back on u it looks ahead on dy, on samples behind the window's new ones.
#pragma once

constexpr int read_ahead = read_back;

// Where dy's samples end that exist and that the window reads, counted from its first new one.
__device__ __forceinline__ int end_ahead(const Window& window) {
  const long long left = length - window.start;
  return left < step + read_ahead ? static_cast<int>(left) : step + read_ahead;
}
