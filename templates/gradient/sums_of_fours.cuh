// Sums of neighbouring frequencies, 16 bytes of them at a time.
#pragma once

#include "sums.cuh"

constexpr int tile_words = sums_bytes / 16;

struct SumsOfFour {
  float4 re, im;

  // The sums over all slices, in their order; `apart`: from slice to slice.
  __device__ __forceinline__ SumsOfFour(const float4* from, int slices, int apart)
      : re(load_global(from)), im(load_global(from + 64)) {
    for (int slice = 1; slice < slices; ++slice) {
      from += apart;
      const float4 more_re = load_global(from), more_im = load_global(from + 64);
      re.x += more_re.x, re.y += more_re.y, re.z += more_re.z, re.w += more_re.w;
      im.x += more_im.x, im.y += more_im.y, im.z += more_im.z, im.w += more_im.w;
    }
  }
  // take(offset, value) for each, conjugated: the forward transform of the conjugates is the conjugate of the samples.
  // Row k2 and columns k3, k3 + 1 of a tile, then the same columns of row k2 + 8.
  template <class Take>
  __device__ __forceinline__ void each(Take take) const {
    take(0, float2{re.x, -im.x}), take(16, float2{re.y, -im.y});
    take(8, float2{re.z, -im.z}), take(24, float2{re.w, -im.w});
  }
};

// Where a thread's sums are: two neighbours read the 32 bytes that two lanes have side by side; the next ones take
// neighbouring rows, whose frequencies lie side by side in the array.
struct PlaceOfFour {
  int row, lane, more;

  __device__ __forceinline__ explicit PlaceOfFour(int i)
      : row(i / 2 % sums_rows), lane(i / (2 * sums_rows) % 16 * 2 + i % 2), more(i / (32 * sums_rows)) {}
  __device__ __forceinline__ const float4* in(const float4* sums) const { return sums + row * tile_words + lane; }
  // Of the first one, among the frequencies of its row.
  __device__ __forceinline__ int inner() const { return lane / 4 + 32 * (lane % 4); }
};
