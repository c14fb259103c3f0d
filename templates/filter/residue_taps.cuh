// The first butterflies of a real row that blocks of a cluster transform together: of taps half a block's points apart
// twice as many as there are blocks. Each block gets what becomes frequencies of its residue.
#pragma once

#include "block_transform.cuh"
#include "cluster.cuh"
#include "filter_row.cuh"

// Of `parts` blocks, where k[i] is points / parts samples behind k[0]: outputs[0] are two samples, at the places of
// k[0] and k[1], of the real row whose frequencies are the multiples of `parts`; outputs[r] is a complex one, of
// frequencies 2 parts n + r.
template <int parts>
__device__ __forceinline__ void split(const float (&k)[2 * parts], float2 (&outputs)[parts]) {
  float sums[parts], differences[parts];
#pragma unroll
  for (int i = 0; i < parts; ++i) sums[i] = k[i] + k[i + parts], differences[i] = k[i] - k[i + parts];
  outputs[0] = {sums[0], sums[1]};
#pragma unroll
  for (int i = 2; i < parts; i += 2) outputs[0] = {outputs[0].x + sums[i], outputs[0].y + sums[i + 1]};
#pragma unroll
  for (int r = 1; r < parts; ++r) {
    const float(&taps)[parts] = r % 2 == 0 ? sums : differences;
    outputs[r] = {taps[0], 0.0f};
#pragma unroll
    for (int i = 1; i < parts; ++i) {
      const float2 root = constant_root<2 * parts>(r * i % (2 * parts));
      if (root.x != 0.0f) outputs[r].x = fmaf(root.x, taps[i], outputs[r].x);
      if (root.y != 0.0f) outputs[r].y = fmaf(root.y, taps[i], outputs[r].y);
    }
  }
}

// A share of the butterflies: what one block reads for all.
template <int parts>
struct SplitTaps {
  static constexpr int size = points / parts, share = size / parts, turns = (share + threads - 1) / threads;
  static_assert(size % (2 * parts) == 0, "every block has as many, and pairs of samples lie in one block's number");
  float2 x[turns][parts];

  __device__ __forceinline__ void load(const Taps& taps, int rank) {
    each(rank, [&](float2(&x)[parts], int n) {
      float k[2 * parts];
#pragma unroll
      for (int i = 0; i < 2 * parts; ++i) k[i] = taps.at(n, size * i);
      if (n == 0) k[0] += taps.skip;
      split(k, x);
    });
  }

  // To the arrays of all blocks.
  __device__ __forceinline__ void store(const SharedArray& array, int rank) {
    SharedAddress arrays[parts];
#pragma unroll
    for (int r = 0; r < parts; ++r) arrays[r] = at_rank(array.address, r);
    each(rank, [&](const float2(&x)[parts], int n) {
      const SharedAddress sample = arrays[0] + n % 2 * 4;
      store_cluster4(sample + 8 * swizzled_place(n / 2), __float_as_uint(x[0].x));
      store_cluster4(sample + 8 * swizzled_place(n / 2 + size / 2), __float_as_uint(x[0].y));
#pragma unroll
      for (int r = 1; r < parts; ++r)
        store_cluster8(arrays[r] + 8 * swizzled_place(n), make_uint2(__float_as_uint(x[r].x), __float_as_uint(x[r].y)));
    });
  }

 private:
  template <class Body>
  __device__ __forceinline__ void each(int rank, Body body) {
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      const int number = thread_number() + turn * threads;
      if (share % threads == 0 || number < share) body(x[turn], number + share * rank);
    }
  }
};
