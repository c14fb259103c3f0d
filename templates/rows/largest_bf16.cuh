// The largest magnitudes of rows in bf16.
#pragma once

#include "bf16.cuh"
#include "magnitudes.cuh"

// What a thread has seen of both rows, two samples each. Their signs mean nothing.
struct Largest {
  Packed of[2] = {};

  __device__ __forceinline__ void add(int part, const uint4& samples) {
    add_two(part, samples.x), add_two(part, samples.y), add_two(part, samples.z), add_two(part, samples.w);
  }
  __device__ __forceinline__ void add_gated(int part, const uint4& samples, const uint4& gate) {
    const Packed products[4] = {multiply_bf16(samples.x, gate.x), multiply_bf16(samples.y, gate.y),
                                multiply_bf16(samples.z, gate.z), multiply_bf16(samples.w, gate.w)};
    add_two(part, largest_magnitudes<4>(products));
  }
  __device__ __forceinline__ void add_two(int part, Packed two) { of[part] = larger_magnitudes(of[part], two); }

  // Of the warp: the first row's in the low half, the second's in the high one.
  __device__ __forceinline__ Packed of_warp() const {
    const unsigned int first = largest_of_warp(larger_of_both(magnitudes(of[0])));
    return first | largest_of_warp(larger_of_both(magnitudes(of[1]))) << 16;
  }
  // Where both parts are of one row.
  __device__ __forceinline__ Packed of_one_row() const {
    const unsigned int all = largest_of_warp(larger_of_both(magnitudes(larger_magnitudes(of[0], of[1]))));
    return all | all << 16;
  }
};
