// Gradients in windows that look both ways. In the circle of the transform the new samples come first, then a gap, what
// dy has ahead of the window, and what u has behind it. Products of u behind and dy ahead, which two windows share, are
// further apart so than any two that the filter brings together. What dy ahead makes of the last new samples of du
// comes out in the gap.
#pragma once

// Where a sample of dy lies, counted from the first new one; negative in the gap, where there are none.
__device__ __forceinline__ int position_ahead(int sample) {
  return sample < step ? sample : sample < step + gap ? -1 : sample - gap;
}

// Both parts of eight results.
__device__ __forceinline__ void add(uint4& to, uint4 other) {
  to.x = add(to.x, other.x);
  to.y = add(to.y, other.y);
  to.z = add(to.z, other.z);
  to.w = add(to.w, other.w);
}
