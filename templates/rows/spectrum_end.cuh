// The 16 bytes behind a channel's spectrum, of rows of columns and rows.
#pragma once

#include "global.cuh"
#include "packed.cuh"

// What a channel's results must be multiplied by.
__device__ __forceinline__ float scale_of(const ConvArguments& arguments, int channel) {
  const unsigned char* const end =
      static_cast<const unsigned char*>(arguments.spectrum) + (channel + 1) * spectrum_channel_bytes;
  return load_constant(reinterpret_cast<const float*>(end - 16));
}

// The power of two that its spectrum lacks, which was stored before its largest magnitude was known, twice.
__device__ __forceinline__ Packed power_of(const ConvArguments& arguments, int channel) {
  const unsigned char* const end =
      static_cast<const unsigned char*>(arguments.spectrum) + (channel + 1) * spectrum_channel_bytes;
  return load_constant(reinterpret_cast<const Packed*>(end - 12));
}
