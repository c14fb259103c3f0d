// The largest magnitudes that warps meet, into the record of their channel.
#pragma once

#include "channel_report.cuh"
#include "fp16_samples.cuh"
#include "global_atomics.cuh"
#include "larger_or_nan.cuh"
#include "magnitudes.cuh"

// What a thread has met of samples, or of results, as they are stored: two at a time, by their bits, which are in the
// order of their values in fp16 as in bf16.
struct MetSamples {
  Packed largest = 0;  // its signs mean nothing

  __device__ __forceinline__ void add(Packed two) { largest = larger_magnitudes(largest, two); }
  template <int count>
  __device__ __forceinline__ void add(const Packed (&words)[count]) {
    add(largest_magnitudes<count>(words));
  }
  __device__ __forceinline__ void add(const uint4& chunk) {
    const Packed words[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
    add(words);
  }
  // The first `live` of a chunk: what lies behind a row is not met.
  __device__ __forceinline__ void add_live(const uint4& chunk, int live) {
    const Packed words[4] = {first_of(chunk.x, live), first_of(chunk.y, live - 2), first_of(chunk.z, live - 4),
                             first_of(chunk.w, live - 6)};
    add(words);
  }
  __device__ __forceinline__ unsigned int bits() const { return magnitude_bits(larger_of_both(magnitudes(largest))); }

 private:
  static __device__ __forceinline__ Packed first_of(Packed two, int live) {
    return live > 1 ? two : live > 0 ? two & 0xffffu : 0;
  }
};

// The same of samples times gates, in fp32.
struct MetProducts {
  float largest = 0.0f;

  __device__ __forceinline__ void add(Packed two, Packed gate) {
    const float low = low_stored(two) * low_stored(gate), high = high_stored(two) * high_stored(gate);
    largest = larger_or_nan(largest, larger_or_nan(fabsf(low), fabsf(high)));
  }
  template <int count>
  __device__ __forceinline__ void add(const Packed (&words)[count], const Packed (&gates)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) add(words[i], gates[i]);
  }
  __device__ __forceinline__ void add(const uint4& chunk, const uint4& gate) {
    add(chunk.x, gate.x), add(chunk.y, gate.y), add(chunk.z, gate.z), add(chunk.w, gate.w);
  }
  __device__ __forceinline__ unsigned int bits() const { return __float_as_uint(largest); }
};

// A warp that comes to a channel again and again asks ahead what was `told` of it: few magnitudes are larger than all
// before, and others wait for what a warp has written. Nobody waits for the record.
__device__ __forceinline__ void report_largest(unsigned int* of_channel, unsigned int bits, unsigned int told = 0) {
  const unsigned int largest = largest_of_warp(bits);
  if (threadIdx.x % 32 == 0 && largest > told) atomic_max_global(of_channel, largest);
}
