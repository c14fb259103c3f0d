// Rows stored as fp16: what fragments and chunks need on the way in and out.
#pragma once

#include "conversions.cuh"

// A power of two as both halves of a packed factor.
__device__ __forceinline__ Packed packed_scale(float scale) { return pack(scale, scale); }

__device__ __forceinline__ Packed to_packed(Packed stored) { return stored; }

// Sample times gate.
__device__ __forceinline__ Packed to_packed_gated(Packed stored, Packed gate) { return mul(stored, gate); }

// The same times a power of two.
__device__ __forceinline__ Packed to_packed_scaled(Packed stored, float scale) {
  return mul(stored, packed_scale(scale));
}
__device__ __forceinline__ Packed to_packed_gated_scaled(Packed stored, Packed gate, float scale) {
  return mul(mul(stored, packed_scale(scale)), gate);
}

// The result of the transform times the filter's scale.
__device__ __forceinline__ Packed to_stored(Packed value, float scale) { return mul(value, packed_scale(scale)); }

// The same times the out gate.
__device__ __forceinline__ Packed to_stored_gated(Packed value, float scale, Packed gate) {
  return mul(mul(value, packed_scale(scale)), gate);
}
