// Windows alone whose samples all exist.
#pragma once

// Those in front of the new ones, too.
__device__ __forceinline__ bool is_whole(const Window& window) {
  return window.begin == -read_back && window.end == step;
}
