// Down a column, for threads that copy several of its chunks.
#pragma once

// The place of the chunk `slots` further down than the one at `place`, whose slot has no bit in common with `slots`.
__device__ __forceinline__ SharedAddress place_below(SharedAddress place, int slots) {
  return (place ^ (slots & 7) << 4) + slots * row_bytes;
}
