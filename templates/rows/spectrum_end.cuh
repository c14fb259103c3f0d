// The 16 bytes behind a channel's spectrum, of rows of columns and rows.
#pragma once

#include "global.cuh"
#include "packed.cuh"

__device__ __forceinline__ const unsigned int* spectrum_end(const ConvArguments& arguments, int channel) {
  const unsigned char* const next =
      static_cast<const unsigned char*>(arguments.spectrum) + (channel + 1) * spectrum_channel_bytes;
  return reinterpret_cast<const unsigned int*>(next) - 4;
}

// What a channel's results must be multiplied by.
__device__ __forceinline__ float scale_of(const ConvArguments& arguments, int channel) {
  return __uint_as_float(load_constant(spectrum_end(arguments, channel)));
}

// The power of two that its spectrum lacks, which was stored before its largest magnitude was known, twice.
__device__ __forceinline__ Packed power_of(const ConvArguments& arguments, int channel) {
  return load_constant(spectrum_end(arguments, channel) + 1);
}
