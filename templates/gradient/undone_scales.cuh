// The powers of two that rows were multiplied by, taken back from sums of their products.
#pragma once

#include "row_scale.cuh"
#include "scale_of_products.cuh"

struct UndoneScales {
  float of_input, of_gradient;

  template <class Arguments>
  __device__ __forceinline__ UndoneScales(const Arguments& arguments, int channel)
      : of_input(scale_out(arguments.input_magnitudes, channel)),
        of_gradient(scale_out(arguments.gradient_magnitudes, channel)) {}

  // One after the other: their product may leave the range of float where the result does not.
  __device__ __forceinline__ float operator()(float sum) const { return sum * of_input * of_gradient; }
};

// The same of products of one row, or of two that have one power of two, before they are added up. Magnitudes are read
// ahead of where it is wanted.
struct UndoneRow {
  unsigned int input, gradient;

  template <class Arguments>
  __device__ __forceinline__ UndoneRow(const Arguments& arguments, int channel, int row, bool with_next = false)
      : input(magnitude_bits(arguments.input_magnitudes, channel, row, with_next)),
        gradient(magnitude_bits(arguments.gradient_magnitudes, channel, row, with_next)) {}

  __device__ __forceinline__ float scale() const {
    return scale_of_products(scale_of_magnitude(input), scale_of_magnitude(gradient));
  }
};
