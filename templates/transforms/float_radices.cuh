// Short Fourier transforms in float32 on registers for every radix that passes take, exp(-2 pi i / radix) forward.
#pragma once

#include "float_butterflies.cuh"
#include "unit_root.cuh"

// The number whose bits are those of `i`, below a power of two, in reversed order.
template <int size>
__device__ __forceinline__ constexpr int reversed(int i) {
  int mirrored = 0;
  for (int bit = 1; bit < size; bit *= 2) mirrored += i & bit ? size / (2 * bit) : 0;
  return mirrored;
}

// a + root b and a - root b in six operations.
__device__ __forceinline__ void join_by_root(float2& a, float2& b, float2 root) {
  const float2 sum = {fmaf(-root.y, b.y, fmaf(root.x, b.x, a.x)), fmaf(root.y, b.x, fmaf(root.x, b.y, a.y))};
  b = {fmaf(2.0f, a.x, -sum.x), fmaf(2.0f, a.y, -sum.y)};
  a = sum;
}
// The same with -i root.
__device__ __forceinline__ void join_by_turned_root(float2& a, float2& b, float2 root) {
  const float2 sum = {fmaf(root.y, b.x, fmaf(root.x, b.y, a.x)), fmaf(root.y, b.y, fmaf(-root.x, b.x, a.y))};
  b = {fmaf(2.0f, a.x, -sum.x), fmaf(2.0f, a.y, -sum.y)};
  a = sum;
}

// Halves to wholes, transforms of `size` numbers and on: number q of one and the one half of it later come of number q
// of the transforms of its even and its odd inputs, by join(even, odd, size, q, false). That a quarter behind it has
// its root, but for -i: join(even, odd, size, q, true).
template <int size, int radix, class Join>
__device__ __forceinline__ void join_halves(float2 (&x)[radix], Join join) {
  constexpr int quarter = size / 4;
#pragma unroll
  for (int q = 0; q < (quarter > 0 ? quarter : 1); ++q)
#pragma unroll
    for (int turned = 0; turned < (quarter > 0 ? 2 : 1); ++turned)
#pragma unroll
      for (int rest = 0; rest < radix / size; ++rest) {
        const int even = rest + reversed<radix>(q + turned * quarter);
        join(x[even], x[even + radix / size], size, q, turned != 0);
      }
  if constexpr (size < radix) {
    join_halves<2 * size>(x, join);
  } else {
    float2 y[radix];
#pragma unroll
    for (int q = 0; q < radix; ++q) y[q] = x[reversed<radix>(q)];
#pragma unroll
    for (int q = 0; q < radix; ++q) x[q] = y[q];
  }
}

__device__ __forceinline__ void butterfly16(float2 (&x)[16]) {
  join_halves<2>(x, [](float2& even, float2& odd, int size, int q, bool turned) {
    if (q > 0) {
      const float2 root = constant_root<16>(16 / size * q);
      turned ? join_by_turned_root(even, odd, root) : join_by_root(even, odd, root);
    } else {
      if (turned) odd = {odd.y, -odd.x};
      butterfly2(even, odd);
    }
  });
}

// An odd radix: numbers p and radix - p meet as their sum, with cosines, and their difference, with sines.
template <int radix>
__device__ __forceinline__ void odd_butterfly(float2 (&x)[radix]) {
  static_assert(radix % 2 == 1, "every number but the first has another one for its mirror");
  constexpr int pairs = radix / 2;
  const float2 first = x[0];
  float2 sums[pairs], differences[pairs];
#pragma unroll
  for (int p = 1; p <= pairs; ++p) {
    sums[p - 1] = add(x[p], x[radix - p]), differences[p - 1] = sub(x[p], x[radix - p]);
    x[0] = add(x[0], sums[p - 1]);
  }
#pragma unroll
  for (int q = 1; q <= pairs; ++q) {
    float2 even = first, odd = {0.0f, 0.0f};
#pragma unroll
    for (int p = 1; p <= pairs; ++p) {
      const float2 root = constant_root<radix>(p * q % radix);
      even = {fmaf(root.x, sums[p - 1].x, even.x), fmaf(root.x, sums[p - 1].y, even.y)};
      odd = {fmaf(root.y, differences[p - 1].x, odd.x), fmaf(root.y, differences[p - 1].y, odd.y)};
    }
    x[q] = {even.x - odd.y, even.y + odd.x};
    x[radix - q] = {even.x + odd.y, even.y - odd.x};
  }
}

template <int radix>
__device__ __forceinline__ void butterfly(float2 (&x)[radix]) {
  if constexpr (radix == 2)
    butterfly2(x[0], x[1]);
  else if constexpr (radix == 4)
    butterfly4(x[0], x[1], x[2], x[3]);
  else if constexpr (radix == 8)
    butterfly8(x);
  else if constexpr (radix == 16)
    butterfly16(x);
  else
    odd_butterfly(x);
}

// Powers 1, 2, 4 and so on of a root, as many as a radix has factors of two.
template <int radix>
struct RootPowers {
  static constexpr int count = radix >= 16 ? 4 : radix >= 8 ? 3 : radix >= 4 ? 2 : 1;
  float2 of[count];
};
template <int radix>
__device__ __forceinline__ RootPowers<radix> powers_of(float2 root) {
  RootPowers<radix> powers;
  powers.of[0] = root;
#pragma unroll
  for (int i = 1; i < RootPowers<radix>::count; ++i) powers.of[i] = multiply(powers.of[i - 1], powers.of[i - 1]);
  return powers;
}

// The transform of numbers p times the p-th powers of a root, where the radix is a power of two: halves take the roots
// up as they are joined.
template <int radix>
__device__ __forceinline__ void butterfly_of_powers(float2 (&x)[radix], const RootPowers<radix>& powers) {
  static_assert((radix & (radix - 1)) == 0, "halves of halves, down to one");
  join_halves<2>(x, [&](float2& even, float2& odd, int size, int q, bool turned) {
    float2 root = powers.of[radix / size == 8 ? 3 : radix / size / 2];
    if (q > 0) root = multiply(root, constant_root<radix>(radix / size * q));
    turned ? join_by_turned_root(even, odd, root) : join_by_root(even, odd, root);
  });
}
template <int radix>
__device__ __forceinline__ void butterfly_of_powers(float2 (&x)[radix], float2 root) {
  if constexpr ((radix & (radix - 1)) == 0)
    butterfly_of_powers(x, powers_of<radix>(root));
  else
    multiply_by_powers(x, root), butterfly(x);
}
