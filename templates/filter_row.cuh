// What filter kernels share: where the taps of a channel go, and how its frequencies become a row of the spectrum.
#pragma once

#include "conversions.cuh"
#include "filter_passes.cuh"

//[[constants
constexpr int length = 64;
constexpr int threads = 64;
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

// Sample `position` of the row that is transformed.
__device__ __forceinline__ float tap_at(const float* k, int filter_length, int position) {
  int tap = filter_length;
  if (position < head) tap = position;
  if (position >= tail_start) tap = position - tail_start + tail_tap;
  return tap < filter_length ? load_constant(k + tap) : 0.0f;
}

// The taps where the convolution wants them; a skip term is one more tap at position 0.
__device__ __forceinline__ void place_taps(const float* k, int filter_length, const float* skip, float2* to,
                                           Share share) {
  for (int position = share.first; position < length; position += share.step) {
    float sample = tap_at(k, filter_length, position);
    if (position == 0 && skip != nullptr) sample += load_constant(skip);
    store_global(to + position, {sample, 0.0f});
  }
}

//[[kept
//]]
// Of a thread's share of the frequencies.
__device__ __forceinline__ float largest_magnitude(const float2* frequencies, Share share) {
  float magnitude = 0.0f;
  for (int i = share.first; i < length; i += share.step) {
//[[dropped
//]]
    const float2 value = load_global(frequencies + i);
    magnitude = fmaxf(magnitude, hypotf(value.x, value.y));
  }
  return magnitude;
}

// The exponent e for which gain * magnitude / 2^e lies in (1/2, 1], as far as 2^(e + output_exponent) can be held.
__device__ __forceinline__ int scale_exponent(float magnitude) {
  int e = 0;
  // Zero has none, and what is not finite passes on as it is.
  if (magnitude > 0.0f && magnitude <= 3.402823466e+38f)
    if (frexp(gain * magnitude, &e) == 0.5) --e;
  return min(max(e + output_exponent, least_exponent), most_exponent) - output_exponent;
}

// Half `index` of a spectrum row, before the scale: tiles of real parts, then of imaginary parts. The row's
// frequencies lie `stride` apart.
template <int stride>
__device__ __forceinline__ float spectrum_at(const float2* frequencies, const int* order, int index) {
  const int frequency = load_constant(order + index / (2 * tile) * tile + index % tile);
  if (frequency < 0) return 0.0f;
  const float2 value = load_global(frequencies + stride * frequency);
  return index / tile % 2 == 0 ? value.x : value.y;
}

// 16 bytes of a spectrum row, divided by 2^e.
template <int stride>
__device__ __forceinline__ uint4 spectrum_chunk(const float2* frequencies, const int* order, int chunk, int e) {
  float value[8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    value[i] = ldexpf(spectrum_at<stride>(frequencies, order, 8 * chunk + i), -e) * static_cast<float>(gain);
  return {pack(value[0], value[1]), pack(value[2], value[3]), pack(value[4], value[5]), pack(value[6], value[7])};
}

// The 16 bytes behind a channel's spectrum, which begin with its scale.
__device__ __forceinline__ uint4 spectrum_scale(int e) {
  return {__float_as_uint(ldexpf(1.0f, e + output_exponent)), 0, 0, 0};
}
