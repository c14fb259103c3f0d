// The largest magnitudes that warps meet, into the record of their channel.
#pragma once

#include "channel_report.cuh"
#include "fp16_samples.cuh"
#include "global_atomics.cuh"
#include "larger_or_nan.cuh"
#include "magnitudes.cuh"

// The largest magnitude of `count` words from `first` on; its signs mean nothing. Halves of them do not wait for each
// other.
template <int first, int count>
__device__ __forceinline__ Packed largest_of(const Packed* words) {
  if constexpr (count == 1)
    return words[first];
  else
    return larger_magnitudes(largest_of<first, count / 2>(words),
                             largest_of<first + count / 2, count - count / 2>(words));
}

// What a thread has met of samples, or of results, as they are stored: two at a time, by their bits, which are in the
// order of their values in fp16 as in bf16.
struct MetSamples {
  Packed largest = 0;  // its signs mean nothing

  __device__ __forceinline__ void add(Packed two) { largest = larger_magnitudes(largest, two); }
  template <int count>
  __device__ __forceinline__ void add(const Packed (&words)[count]) {
    add(largest_of<0, count>(words));
  }
  __device__ __forceinline__ void add(const uint4& chunk) {
    const Packed words[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
    add(words);
  }
  // The first `live` of two, and of a chunk: what lies behind a row is not met.
  __device__ __forceinline__ void add_live(Packed two, int live) { add(first_of(two, live)); }
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

// Nobody waits for the memory.
__device__ __forceinline__ void report_largest(unsigned int* of_channel, unsigned int bits) {
  const unsigned int largest = largest_of_warp(bits);
  if (threadIdx.x % 32 == 0 && largest != 0) atomic_max_global(of_channel, largest);
}

// The same of a warp that comes to a channel again and again and has asked ahead what was `told` of it: few magnitudes
// are larger than all before, and others wait for what a warp has written.
__device__ __forceinline__ void report_larger(unsigned int* of_channel, unsigned int bits, unsigned int told) {
  const unsigned int largest = largest_of_warp(bits);
  if (threadIdx.x % 32 == 0 && largest > told) atomic_max_global(of_channel, largest);
}
