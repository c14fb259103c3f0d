// What filter kernels share: where the taps of a channel go, and the scale of their frequencies.
#pragma once

#include "conversions.cuh"
#include "global.cuh"

//[[constants
constexpr int length = 64;
constexpr int threads = 32;
constexpr int blocks_per_sm = 24;
constexpr int elements = 64;
constexpr int tile = 16;
constexpr int head = 64;
constexpr int tail_start = 64;
constexpr int tail_tap = 0;
constexpr double gain = 1.0;
constexpr int output_exponent = 0;
constexpr int least_exponent = -14;
constexpr int most_exponent = 15;
//]]

constexpr int row_chunks = elements / 4;  // 16 bytes, 8 halves each, of a spectrum row
static_assert(elements % tile == 0 && elements % 4 == 0, "a row consists of whole tiles and whole 16-byte chunks");

// A channel's taps where the convolution wants them; a skip term is one more tap at position 0.
struct Taps {
  const float* k;
  int filter_length;
  int end;  // of those at the beginning
  float skip;

  __device__ __forceinline__ Taps(const float* k, int filter_length, const float* skip)
      : k(k),
        filter_length(filter_length),
        end(min(head, filter_length)),
        skip(skip != nullptr ? load_constant(skip) : 0.0f) {}

  // Sample first + offset of the row that is transformed, without the skip term. The offset is known at compile time.
  __device__ __forceinline__ float at(int first, int offset) const {
    if (tail_start < length && first + offset >= tail_start) {
      const int tap = first + offset - tail_start + tail_tap;
      return tap < filter_length ? load_constant(k + tap) : 0.0f;
    }
    return load_constant_if(offset < end - first, k + first + offset);
  }
};

// The largest magnitude of many: by squares, where these neither vanish nor overflow, else `slowly()`.
struct LargestMagnitude {
  float square = 0.0f;
  __device__ __forceinline__ void join(float2 value) {
    square = fmaxf(square, fmaf(value.x, value.x, value.y * value.y));
  }
  template <class Slowly>
  __device__ __forceinline__ float or_else(Slowly slowly) const {
    return square > 1e-30f && square < 1e30f ? sqrtf(square) : slowly();
  }
};

template <int count>
__device__ __forceinline__ float largest_magnitude(const float2 (&x)[count]) {
  LargestMagnitude largest;
#pragma unroll
  for (int i = 0; i < count; ++i) largest.join(x[i]);
  return largest.or_else([&] {
    float magnitude = 0.0f;
#pragma unroll
    for (int i = 0; i < count; ++i) magnitude = fmaxf(magnitude, hypotf(x[i].x, x[i].y));
    return magnitude;
  });
}

//[[kept
//]]
#include "filter_half_length.cuh"

// Point first + offset of what is transformed. Sample 0 is the real part of point 0.
__device__ __forceinline__ float2 point_of(const Taps& taps, int first, int offset) {
  float2 point = placed(taps, first, offset);
  if (offset == 0 && first == 0) point.x += taps.skip;
  return point;
}

// The exponent e for which magnitude / 2^e lies in (1/2, 1]. Zero has none, and what is not finite passes on as it is.
__device__ __forceinline__ int exponent_of(double magnitude) {
  int e = 0;
  if (magnitude > 0.0 && magnitude <= 1.7976931348623157e308)
    if (frexp(magnitude, &e) == 0.5) --e;
  return e;
}

// The nearest exponent for which 2^(e + output_exponent) can be held.
__device__ __forceinline__ int held_exponent(int e) {
  return min(max(e + output_exponent, least_exponent), most_exponent) - output_exponent;
}
__device__ __forceinline__ int scale_exponent(float magnitude) { return held_exponent(exponent_of(gain * magnitude)); }

// What frequencies are multiplied by: gain / 2^e, in two factors that float32 can hold. The second is mostly 1.
struct SpectrumScale {
  float first, second;
  __device__ __forceinline__ explicit SpectrumScale(int e) {
    const int most = min(max(e, -100), 100);
    first = ldexpf(static_cast<float>(gain), -most), second = ldexpf(1.0f, most - e);
  }
  __device__ __forceinline__ float2 operator()(float2 value) const {
    return {value.x * first * second, value.y * first * second};
  }
  template <int count>
  __device__ __forceinline__ void operator()(float2 (&x)[count]) const {
#pragma unroll
    for (int i = 0; i < count; ++i) x[i] = {x[i].x * first, x[i].y * first};
    if (second == 1.0f) return;
#pragma unroll
    for (int i = 0; i < count; ++i) x[i] = {x[i].x * second, x[i].y * second};
  }
};

// Eight elements of a tile: 16 bytes of real parts and as many of imaginary parts.
__device__ __forceinline__ void store_eight(uint4* to, const float2 (&x)[8]) {
  store_global(to, uint4{pack(x[0].x, x[1].x), pack(x[2].x, x[3].x), pack(x[4].x, x[5].x), pack(x[6].x, x[7].x)});
  store_global(to + tile / 8,
               uint4{pack(x[0].y, x[1].y), pack(x[2].y, x[3].y), pack(x[4].y, x[5].y), pack(x[6].y, x[7].y)});
}

// The 16 bytes behind a channel's spectrum: its scale, and the power of two that what is stored still lacks, twice.
__device__ __forceinline__ uint4 scale_chunk(int e, int lacks = 0) {
  const float power = ldexpf(1.0f, lacks);
  return {__float_as_uint(ldexpf(1.0f, e + output_exponent)), pack(power, power), 0, 0};
}
