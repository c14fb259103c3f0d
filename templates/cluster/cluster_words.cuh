// Words of two samples, as many as a thread takes of a row at a time: 2 or 4.
#pragma once

#include "cluster.cuh"
#include "global.cuh"

template <int count>
struct Words {
  Packed word[count];
};

__device__ __forceinline__ Words<2> as_words(const uint2& x) { return {{x.x, x.y}}; }
__device__ __forceinline__ Words<4> as_words(const uint4& x) { return {{x.x, x.y, x.z, x.w}}; }
__device__ __forceinline__ uint2 as_vector(const Words<2>& x) { return make_uint2(x.word[0], x.word[1]); }
__device__ __forceinline__ uint4 as_vector(const Words<4>& x) {
  return make_uint4(x.word[0], x.word[1], x.word[2], x.word[3]);
}

__device__ __forceinline__ void load_from(SharedAddress there, Words<2>& x) { x = as_words(load_cluster8(there)); }
__device__ __forceinline__ void load_from(SharedAddress there, Words<4>& x) { x = as_words(load_cluster(there)); }
__device__ __forceinline__ void store_at(SharedAddress there, const Words<2>& x) {
  store_cluster8(there, as_vector(x));
}
__device__ __forceinline__ void store_at(SharedAddress there, const Words<4>& x) { store_cluster(there, as_vector(x)); }

__device__ __forceinline__ void read_whole(const unsigned short* samples, Words<2>& x) {
  x = as_words(load_streamed(reinterpret_cast<const uint2*>(samples)));
}
__device__ __forceinline__ void read_whole(const unsigned short* samples, Words<4>& x) {
  x = as_words(load_streamed(reinterpret_cast<const uint4*>(samples)));
}

// The words at `samples`, of which `live` samples (any value) exist; the others become zero. Rows start at a multiple
// of `alignment` bytes.
template <int alignment, int count>
__device__ __forceinline__ Words<count> read_words(const unsigned short* samples, int live) {
  Words<count> x;
  if (alignment >= 4 * count && live >= 2 * count) {
    read_whole(samples, x);
    return x;
  }
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if (alignment >= 4 && 2 * i + 1 < live) {
      x.word[i] = load_streamed(reinterpret_cast<const unsigned int*>(samples) + i);
    } else {
      const unsigned int low = 2 * i < live ? load_streamed(samples + 2 * i) : 0;
      const unsigned int high = 2 * i + 1 < live ? load_streamed(samples + 2 * i + 1) : 0;
      x.word[i] = low | high << 16;
    }
  }
  return x;
}

// Writes the first `live` samples.
template <int alignment, int count>
__device__ __forceinline__ void write_words(unsigned short* samples, const Words<count>& x, int live) {
  if (alignment >= 4 * count && live >= 2 * count) {
    using Vector = decltype(as_vector(x));
    store_streamed(reinterpret_cast<Vector*>(samples), as_vector(x));
    return;
  }
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if (alignment >= 4 && 2 * i + 1 < live) {
      store_streamed(reinterpret_cast<unsigned int*>(samples) + i, x.word[i]);
    } else {
      if (2 * i < live) store_streamed(samples + 2 * i, static_cast<unsigned short>(x.word[i]));
      if (2 * i + 1 < live) store_streamed(samples + 2 * i + 1, static_cast<unsigned short>(x.word[i] >> 16));
    }
  }
}
