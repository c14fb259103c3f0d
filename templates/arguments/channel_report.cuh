// What a launch meets of a channel; generator/report.hpp declares the same struct for the host, as floats.
#pragma once

// Magnitudes by their bits, which are in the order of their values: a NaN is the largest.
struct ChannelReport {
  unsigned int input, gradient;    // of u . w, of dy . v
  unsigned int output, gradients;  // of y; of du, dw, dv and sums
};
static_assert(sizeof(ChannelReport) == 16, "the host lends 16 bytes a channel");
