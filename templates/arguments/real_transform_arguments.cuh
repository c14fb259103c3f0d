// The argument of the entries between taps and spectra in standard order; generator/real_transform.hpp declares the
// same struct for the host.
#pragma once

struct RealTransformArguments {
  const float* from;  // rows of taps, or of frequencies as real and imaginary parts in turn; of the first channel
  float* to;          // rows of the other
  void* workspace;    // of launches with several steps
  long long from_channel_stride;  // floats
  long long to_channel_stride;    // floats
  int channels;                   // of the launch
  int step;
};
static_assert(sizeof(RealTransformArguments) == 48, "the host passes 48 bytes");
