// Rows stored as bf16 and carried as fp16: what fragments and chunks need on the way in and out.
#pragma once

#include "bf16.cuh"
#include "conversions.cuh"

__device__ __forceinline__ Packed to_packed(Packed stored) { return pack(low_bf16(stored), high_bf16(stored)); }

// Sample times gate.
__device__ __forceinline__ Packed to_packed_gated(Packed stored, Packed gate) {
  return pack(low_bf16(stored) * low_bf16(gate), high_bf16(stored) * high_bf16(gate));
}

// The same times a power of two, which bf16 holds: two products in one.
__device__ __forceinline__ Packed to_packed_scaled(Packed stored, float scale) {
  const unsigned int high = __float_as_uint(scale) & 0xffff0000u;
  return to_packed(multiply_bf16(stored, high | high >> 16));
}
__device__ __forceinline__ Packed to_packed_gated_scaled(Packed stored, Packed gate, float scale) {
  return pack(low_bf16(stored) * low_bf16(gate) * scale, high_bf16(stored) * high_bf16(gate) * scale);
}

// The result of the transform times the filter's scale.
__device__ __forceinline__ Packed to_stored(Packed value, float scale) {
  return pack_bf16(low_half(value) * scale, high_half(value) * scale);
}

// The same times the out gate.
__device__ __forceinline__ Packed to_stored_gated(Packed value, float scale, Packed gate) {
  return pack_bf16(low_half(value) * scale * low_bf16(gate), high_half(value) * scale * high_bf16(gate));
}
