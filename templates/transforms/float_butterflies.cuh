// Short Fourier transforms in float32 on registers, exp(-2 pi i / radix) forward.
#pragma once

__device__ __forceinline__ float2 add(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ __forceinline__ float2 sub(float2 a, float2 b) { return {a.x - b.x, a.y - b.y}; }

// a * b + c
__device__ __forceinline__ float2 multiply_add(float2 a, float2 b, float2 c) {
  return {fmaf(a.x, b.x, fmaf(-a.y, b.y, c.x)), fmaf(a.x, b.y, fmaf(a.y, b.x, c.y))};
}
__device__ __forceinline__ float2 multiply(float2 a, float2 b) {
  return {fmaf(a.x, b.x, -a.y * b.y), fmaf(a.x, b.y, a.y * b.x)};
}

__device__ __forceinline__ void butterfly2(float2& a, float2& b) {
  const float2 sum = add(a, b);
  b = sub(a, b);
  a = sum;
}

__device__ __forceinline__ void butterfly4(float2& a, float2& b, float2& c, float2& d) {
  const float2 even = add(a, c), odd = sub(a, c), sum = add(b, d), difference = sub(b, d);
  a = add(even, sum), c = sub(even, sum);
  b = {odd.x + difference.y, odd.y - difference.x};
  d = {odd.x - difference.y, odd.y + difference.x};
}

__device__ __forceinline__ void butterfly8(float2 (&x)[8]) {
  constexpr float eighth = 0.707106781f;
  butterfly4(x[0], x[2], x[4], x[6]);
  butterfly4(x[1], x[3], x[5], x[7]);
  x[3] = {eighth * (x[3].x + x[3].y), eighth * (x[3].y - x[3].x)};
  x[5] = {x[5].y, -x[5].x};
  x[7] = {eighth * (x[7].y - x[7].x), -eighth * (x[7].x + x[7].y)};
  butterfly2(x[0], x[1]), butterfly2(x[2], x[3]), butterfly2(x[4], x[5]), butterfly2(x[6], x[7]);
  const float2 y[8] = {x[0], x[2], x[4], x[6], x[1], x[3], x[5], x[7]};
#pragma unroll
  for (int q = 0; q < 8; ++q) x[q] = y[q];
}

// Number p times the p-th power of `root`: a power below 4 times a multiple of 4, so that few are there at a time.
template <int radix>
__device__ __forceinline__ void multiply_by_powers(float2 (&x)[radix], float2 root) {
  constexpr int fours = (radix + 3) / 4;
  float2 low[4], high[fours];
  low[1] = root, low[2] = multiply(root, root), low[3] = multiply(low[2], root);
  if (fours > 1) high[1] = multiply(low[2], low[2]);
#pragma unroll
  for (int i = 2; i < fours; ++i) high[i] = multiply(high[i / 2], high[i - i / 2]);
#pragma unroll
  for (int p = 1; p < radix; ++p) {
    if (p < 4)
      x[p] = multiply(x[p], low[p]);
    else
      x[p] = multiply(x[p], p % 4 == 0 ? high[p / 4] : multiply(high[p / 4], low[p % 4]));
  }
}

// The same, and all of them times `base`.
template <int radix>
__device__ __forceinline__ void multiply_by_powers(float2 (&x)[radix], float2 root, float2 base) {
  constexpr int fours = (radix + 3) / 4;
  const float2 square = multiply(root, root);
  float2 low[4] = {base, multiply(base, root), multiply(base, square), multiply(base, multiply(square, root))};
  float2 high[fours];
  if (fours > 1) high[1] = multiply(square, square);
#pragma unroll
  for (int i = 2; i < fours; ++i) high[i] = multiply(high[i / 2], high[i - i / 2]);
#pragma unroll
  for (int p = 0; p < radix; ++p) x[p] = multiply(x[p], p < 4 ? low[p] : multiply(high[p / 4], low[p % 4]));
}
