// Roots of unity in fp32 without a table: exact reduction to an eighth of a turn, then a short series.
#pragma once

// exp(-i (angle + that many quarters of a turn)).
__device__ __forceinline__ constexpr float2 turned_by_quarters(int quarters, float cosine, float sine) {
  const float c = quarters & 1 ? sine : cosine, s = quarters & 1 ? cosine : sine;
  return {(quarters + 1) & 2 ? -c : c, quarters & 2 ? s : -s};
}

// exp(-2 pi i exponent / length), 0 <= exponent < length <= 2^25. Error below 1.5e-7.
template <int length>
__device__ __forceinline__ float2 unit_root(int exponent) {
  constexpr float radians = 1.57079632679489662 / length;
  const int quarters = (4 * exponent + length / 2) / length;
  const float x = static_cast<float>(4 * exponent - quarters * length) * radians;
  const float square = x * x;
  const float cubic =
      fmaf(square, fmaf(square, fmaf(square, 2.75573192e-6f, -1.98412698e-4f), 8.33333333e-3f), -0.166666667f);
  const float even = fmaf(square, fmaf(square, fmaf(square, 2.48015873e-5f, -1.38888889e-3f), 4.16666667e-2f), -0.5f);
  const float sine = fmaf(x * square, cubic, x), cosine = fmaf(square, even, 1.0f);
  return turned_by_quarters(quarters, cosine, sine);
}

// The same of an exponent that is known at compile time, in sums and products that compilers do then: they do not do
// every fmaf().
template <int length>
__device__ __forceinline__ constexpr float2 constant_root(int exponent) {
  const int quarters = (4 * exponent + length / 2) / length;
  const double x = (4 * exponent - quarters * length) * (1.57079632679489662 / length), square = x * x;
  const double sine =
      x * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))));
  const double cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))));
  return turned_by_quarters(quarters, static_cast<float>(cosine), static_cast<float>(sine));
}
