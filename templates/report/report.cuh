// The largest magnitudes that warps meet, into the record of their channel.
#pragma once

#include "channel_report.cuh"
#include "fp16_samples.cuh"
#include "global_atomics.cuh"
#include "magnitudes.cuh"

// What a thread has met of samples, or of results, as they are stored: two at a time, by their bits.
struct MetSamples {
  Packed largest = 0;

  __device__ __forceinline__ void add(Packed two) { largest = larger_halves(largest, magnitudes(two)); }
  __device__ __forceinline__ void add(const uint4& chunk) { add(chunk.x), add(chunk.y), add(chunk.z), add(chunk.w); }
  // The first `live` of two, and of a chunk: what lies behind a row is not met.
  __device__ __forceinline__ void add_live(Packed two, int live) { add(live > 1 ? two : live > 0 ? two & 0xffffu : 0); }
  __device__ __forceinline__ void add_live(const uint4& chunk, int live) {
    add_live(chunk.x, live), add_live(chunk.y, live - 2);
    add_live(chunk.z, live - 4), add_live(chunk.w, live - 6);
  }
  __device__ __forceinline__ unsigned int bits() const { return magnitude_bits(larger_of_both(largest)); }
};

// The same of samples times gates, in fp32.
struct MetProducts {
  int largest = 0;

  __device__ __forceinline__ void add_one(float product) {
    largest = max(largest, static_cast<int>(__float_as_uint(product) & 0x7fffffffu));
  }
  __device__ __forceinline__ void add(Packed two, Packed gate) {
    add_one(low_stored(two) * low_stored(gate)), add_one(high_stored(two) * high_stored(gate));
  }
  __device__ __forceinline__ void add(const uint4& chunk, const uint4& gate) {
    add(chunk.x, gate.x), add(chunk.y, gate.y), add(chunk.z, gate.z), add(chunk.w, gate.w);
  }
  __device__ __forceinline__ unsigned int bits() const { return static_cast<unsigned int>(largest); }
};

// Nobody waits for the memory.
__device__ __forceinline__ void report_largest(unsigned int* of_channel, unsigned int bits) {
  const unsigned int largest = largest_of_warp(bits);
  if (threadIdx.x % 32 == 0 && largest != 0) atomic_max_global(of_channel, largest);
}
