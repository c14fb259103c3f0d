// Windows of delayed rows are counted from the line that a row begins behind, and not from its first sample.
#pragma once

// Moves a window of a row that begins `delay` samples behind a line. The samples ahead of the row do not exist.
__device__ __forceinline__ void move_back(Window& window, int delay) {
  window.start -= delay;
  const long long left = length - window.start;
  window.begin = window.start < read_back ? -static_cast<int>(window.start) : -read_back;
  window.end = left < step ? static_cast<int>(left) : step;
}
