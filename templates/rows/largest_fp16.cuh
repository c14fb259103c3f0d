// The largest magnitudes of rows in fp16, as bf16 has them. Of samples they are compared as they are stored: the bits
// of fp16 and those of bf16 lie in the same order. Products with a gate are in bf16 at once, which holds them all.
#pragma once

#include "bf16.cuh"
#include "conversions.cuh"
#include "magnitudes.cuh"

__device__ __forceinline__ Packed product_as_bf16(Packed sample, Packed gate) {
  return pack_bf16(low_half(sample) * low_half(gate), high_half(sample) * high_half(gate));
}

// The magnitude of a sample, in bf16: its exponent is the same.
__device__ __forceinline__ unsigned int as_bf16(unsigned int magnitude) {
  return __float_as_uint(low_half(magnitude)) >> 16;
}

// What a thread has seen of both rows, two samples each. Their signs mean nothing.
struct Largest {
  Packed of[2] = {}, products[2] = {};

  __device__ __forceinline__ void add(int part, const uint4& samples) {
    add_two(part, samples.x), add_two(part, samples.y), add_two(part, samples.z), add_two(part, samples.w);
  }
  __device__ __forceinline__ void add_gated(int part, const uint4& samples, const uint4& gate) {
    const Packed all[4] = {product_as_bf16(samples.x, gate.x), product_as_bf16(samples.y, gate.y),
                           product_as_bf16(samples.z, gate.z), product_as_bf16(samples.w, gate.w)};
    products[part] = larger_magnitudes(products[part], largest_magnitudes<4>(all));
  }
  __device__ __forceinline__ void add_two(int part, Packed two) { of[part] = larger_magnitudes(of[part], two); }

  // Of the warp: the first row's in the low half, the second's in the high one.
  __device__ __forceinline__ Packed of_warp() const {
    return largest_of_warp(of_part(0)) | largest_of_warp(of_part(1)) << 16;
  }
  // Where both parts are of one row.
  __device__ __forceinline__ Packed of_one_row() const {
    const unsigned int all = largest_of_warp(max(of_part(0), of_part(1)));
    return all | all << 16;
  }

 private:
  __device__ __forceinline__ unsigned int of_part(int part) const {
    return max(as_bf16(larger_of_both(magnitudes(of[part]))), larger_of_both(magnitudes(products[part])));
  }
};
