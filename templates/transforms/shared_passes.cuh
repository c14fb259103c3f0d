// Passes of a mixed-radix Fourier transform in float32 in one array of shared memory (Stockham's order).
//
// With n = j + (half / radix) p and `done` the product of the radices before, a pass joins transforms of length `done`
// to transforms of length radix * done. All threads have read the array before one of them writes to it.
#pragma once

#include "float_butterflies.cuh"
#include "swizzled_places.cuh"

// Radices 4 and 8; others from their roots in shared memory, exp(-2 pi i p / radix) one after the other.
template <int radix>
__device__ __forceinline__ void butterfly(float2 (&x)[radix], SharedAddress roots) {
  if constexpr (radix == 4) {
    butterfly4(x[0], x[1], x[2], x[3]);
  } else if constexpr (radix == 8) {
    butterfly8(x);
  } else {
    float2 root[radix], y[radix];
#pragma unroll
    for (int p = 1; p < radix; ++p) root[p] = load_complex(roots + 8 * p);
#pragma unroll
    for (int q = 0; q < radix; ++q) {
      y[q] = x[0];
#pragma unroll
      for (int p = 1; p < radix; ++p) y[q] = q == 0 ? add(y[q], x[p]) : multiply_add(x[p], root[p * q % radix], y[q]);
    }
#pragma unroll
    for (int q = 0; q < radix; ++q) x[q] = y[q];
  }
}

// The butterflies of a pass that one thread has, `threads` apart: their inputs and then their outputs.
template <int radix>
struct Butterflies {
  static constexpr int count = half / radix;
  static constexpr int turns = (count + threads - 1) / threads;
  float2 x[turns][radix];

  // `body(x, j)` for those that exist.
  template <class Body>
  __device__ __forceinline__ void each(Body body) {
#pragma unroll
    for (int turn = 0; turn < turns; ++turn) {
      const int j = threadIdx.x + turn * threads;
      if (count % threads == 0 || j < count) body(x[turn], j);
    }
  }
};

// Ends a pass.
template <int radix, int done>
__device__ __forceinline__ void store_outputs(Butterflies<radix>& butterflies, SharedAddress array) {
  block_barrier();
  butterflies.each([&](float2(&x)[radix], int j) {
    const int k = j % done;  // frequency of the shorter transforms
    const Places<done, is_power_of_two(radix * done)> to(array, (j - k) * radix + k);
#pragma unroll
    for (int q = 0; q < radix; ++q) store_complex(to[q], x[q]);
  });
  block_barrier();
}

// `roots` are exp(-2 pi i k / (radix * done)) for k < done; behind them, for a radix other than 4 and 8, those of it.
template <int radix, int done>
__device__ __forceinline__ void join_transforms(SharedAddress array, SharedAddress roots) {
  static_assert(half % (radix * done) == 0, "radices must divide the length");
  Butterflies<radix> butterflies;
  butterflies.each([&](float2(&x)[radix], int j) {
    const float2 root = load_complex(roots + 8 * (j % done));
    const Places<half / radix, is_power_of_two(half / radix)> from(array, j);
#pragma unroll
    for (int p = 0; p < radix; ++p) x[p] = load_complex(from[p]);
    multiply_by_powers(x, root);
    butterfly(x, roots + 8 * done);
  });
  store_outputs<radix, done>(butterflies, array);
}
