// The order of tiles of 256 frequencies.
#pragma once

// The number of element i of a tile among the tile's frequencies, which lie as fragments hold them.
__device__ __forceinline__ constexpr int inner_of(int i) {
  return i % 2 * 16 + i / 2 % 2 * 8 + i / 4 % 2 * 128 + i / 8 % 4 * 32 + i / 32;
}
