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

struct KeptLoad {
  template <class T>
  __device__ __forceinline__ T operator()(const T* from) const {
    return load_kept(from);
  }
};

// Reads the chunk at `samples` as read_chunk does, and leaves it in the L2 cache.
template <int alignment>
__device__ __forceinline__ uint4 read_kept_chunk(const unsigned short* samples, int live) {
  if constexpr (alignment >= 4) {
    if (live >= 8) return read_whole<alignment>(samples, KeptLoad());
  }
  return read_chunk<alignment>(samples, live);
}
