// Chunks of rows that are read again when results are stored.
#pragma once

#include "copy.cuh"

#ifndef FFC_HOST  // the host has a twin of this

// What is read again soon: it stays in the L2 cache.
template <class T>
__device__ __forceinline__ T load_kept(const T* from) {
  return __ldcg(from);
}

#endif

// Reads the chunk at `samples` as read_chunk does, and leaves it in the L2 cache.
template <int alignment>
__device__ __forceinline__ uint4 read_kept_chunk(const unsigned short* samples, int live) {
  if (alignment == 16 && live >= 8) return load_kept(reinterpret_cast<const uint4*>(samples));
  return read_chunk<alignment>(samples, live);
}
