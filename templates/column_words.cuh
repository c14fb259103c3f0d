// Neighbouring samples of a row as packed words, and words of two rows as fragments of columns.
#pragma once

#include "global.cuh"
#include "packed.cuh"

#ifndef FFC_HOST  // the host has twins of these

// Bytes of a (0 to 3) and b (4 to 7) by the digits of `selector`.
template <unsigned int selector>
__device__ __forceinline__ Packed byte_permute(Packed a, Packed b) {
  return __byte_perm(a, b, selector);
}

#endif

template <int count>
struct Words {
  Packed word[count];
};

// The words at `from`, aligned to all of their bytes.
template <int count>
__device__ __forceinline__ Words<count> load_words(const unsigned short* from) {
  static_assert(count == 1 || count == 2 || count == 4, "one load of 4, 8 or 16 bytes");
  Words<count> x;
  if constexpr (count == 4) {
    const uint4 value = load_global(reinterpret_cast<const uint4*>(from));
    x.word[0] = value.x, x.word[1] = value.y, x.word[2] = value.z, x.word[3] = value.w;
  } else if constexpr (count == 2) {
    const uint2 value = load_global(reinterpret_cast<const uint2*>(from));
    x.word[0] = value.x, x.word[1] = value.y;
  } else {
    x.word[0] = load_global(reinterpret_cast<const unsigned int*>(from));
  }
  return x;
}

template <int count>
__device__ __forceinline__ void store_words(unsigned short* to, const Words<count>& x) {
  if constexpr (count == 4) {
    store_global(reinterpret_cast<uint4*>(to), make_uint4(x.word[0], x.word[1], x.word[2], x.word[3]));
  } else if constexpr (count == 2) {
    store_global(reinterpret_cast<uint2*>(to), make_uint2(x.word[0], x.word[1]));
  } else {
    store_global(reinterpret_cast<unsigned int*>(to), x.word[0]);
  }
}

// Samples that are read once, of which the first `live` (any value) exist and the others are zero.
template <int count, int alignment>
__device__ __forceinline__ Words<count> read_samples(const unsigned short* from, int live) {
  Words<count> x;
  if (alignment >= 4 * count && live >= 2 * count) {
    if constexpr (count == 4) {
      const uint4 value = load_streamed(reinterpret_cast<const uint4*>(from));
      x.word[0] = value.x, x.word[1] = value.y, x.word[2] = value.z, x.word[3] = value.w;
      return x;
    } else if constexpr (count == 2) {
      const uint2 value = load_streamed(reinterpret_cast<const uint2*>(from));
      x.word[0] = value.x, x.word[1] = value.y;
      return x;
    }
  }
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if (alignment >= 4 && 2 * i + 1 < live) {
      x.word[i] = load_streamed(reinterpret_cast<const unsigned int*>(from) + i);
    } else {
      const unsigned int low = 2 * i < live ? load_streamed(from + 2 * i) : 0;
      const unsigned int high = 2 * i + 1 < live ? load_streamed(from + 2 * i + 1) : 0;
      x.word[i] = low | high << 16;
    }
  }
  return x;
}

// Results that nobody reads soon; the first `live` are written.
template <int count, int alignment>
__device__ __forceinline__ void write_samples(unsigned short* to, const Words<count>& x, int live) {
  if (alignment >= 4 * count && live >= 2 * count) {
    if constexpr (count == 4) {
      store_streamed(reinterpret_cast<uint4*>(to), make_uint4(x.word[0], x.word[1], x.word[2], x.word[3]));
      return;
    } else if constexpr (count == 2) {
      store_streamed(reinterpret_cast<uint2*>(to), make_uint2(x.word[0], x.word[1]));
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if (alignment >= 4 && 2 * i + 1 < live) {
      store_streamed(reinterpret_cast<unsigned int*>(to) + i, x.word[i]);
    } else {
      if (2 * i < live) store_streamed(to + 2 * i, static_cast<unsigned short>(x.word[i]));
      if (2 * i + 1 < live) store_streamed(to + 2 * i + 1, static_cast<unsigned short>(x.word[i] >> 16));
    }
  }
}

// The first and the second samples of two words: of two rows, pairs down the columns.
__device__ __forceinline__ Packed low_halves(Packed upper, Packed lower) {
  return byte_permute<0x5410>(upper, lower);
}
__device__ __forceinline__ Packed high_halves(Packed upper, Packed lower) {
  return byte_permute<0x7632>(upper, lower);
}
