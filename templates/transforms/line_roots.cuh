// Roots that all butterflies of a line share, in shared memory: exp(-2 pi i p shift / (parts radix)) for each p.
#pragma once

#include "float_radices.cuh"
#include "swizzled_places.cuh"

template <int radix_, int lines, int parts>
struct LineRoots {
  static constexpr int line_bytes = (8 * radix_ + 31) / 16 * 16;  // in banks of their own
  SharedAddress roots;

  // Line i's shift is first + i * apart; to be read behind a barrier.
  __device__ __forceinline__ void put(int first, int apart) const {
    for (int i = threadIdx.x; i < radix_ * lines; i += threads) {
      const int line = i / radix_, p = i % radix_;
      store_complex(roots + line * line_bytes + 8 * p, unit_root<parts * radix_>(p * (first + line * apart)));
    }
  }
  __device__ __forceinline__ void multiply_all(float2 (&x)[radix_], int line) const {
#pragma unroll
    for (int p = 0; p < radix_; p += 2) {
      const uint4 two = load_shared(roots + line * line_bytes + 8 * p);
      if (p > 0) x[p] = multiply(x[p], {__uint_as_float(two.x), __uint_as_float(two.y)});
      if (p + 1 < radix_) x[p + 1] = multiply(x[p + 1], {__uint_as_float(two.z), __uint_as_float(two.w)});
    }
  }
  // As of frequencies k + shift / parts, of the first pass.
  template <int radix, int done>
  __device__ __forceinline__ void join(float2 (&x)[radix], int, int line) const {
    static_assert(done == 1, "later passes turn outputs on");
    if constexpr (is_power_of_two(radix)) {
      RootPowers<radix> powers;
#pragma unroll
      for (int i = 0; i < RootPowers<radix>::count; ++i)
        powers.of[i] = load_complex(roots + line * line_bytes + (8 << i));
      butterfly_of_powers(x, powers);
    } else {
      multiply_all(x, line), butterfly(x);
    }
  }
};
