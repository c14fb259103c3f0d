// Rows stored as fp16, scaled and gated in fp32 and rounded once: gradients may be far from 1 before the gate.
#pragma once

#include "conversions.cuh"

__device__ __forceinline__ Packed to_packed(Packed stored) { return stored; }

// Sample times gate.
__device__ __forceinline__ Packed to_packed_gated(Packed stored, Packed gate) { return mul(stored, gate); }

// The same times a power of two.
__device__ __forceinline__ Packed to_packed_scaled(Packed stored, float scale) {
  return pack(low_half(stored) * scale, high_half(stored) * scale);
}
__device__ __forceinline__ Packed to_packed_gated_scaled(Packed stored, Packed gate, float scale) {
  return pack(low_half(stored) * low_half(gate) * scale, high_half(stored) * high_half(gate) * scale);
}

// The result of the transform times the filter's scale.
__device__ __forceinline__ Packed to_stored(Packed value, float scale) {
  return pack(low_half(value) * scale, high_half(value) * scale);
}

// The same times another row.
__device__ __forceinline__ Packed to_stored_gated(Packed value, float scale, Packed gate) {
  return pack(low_half(value) * scale * low_half(gate), high_half(value) * scale * high_half(gate));
}
