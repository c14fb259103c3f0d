// The powers of two that rows were multiplied by, taken back from sums of their products.
#pragma once

#include "row_scale.cuh"

struct UndoneScales {
  float of_input, of_gradient;

  template <class Arguments>
  __device__ __forceinline__ UndoneScales(const Arguments& arguments, int channel)
      : of_input(scale_out(arguments.input_magnitudes, channel)),
        of_gradient(scale_out(arguments.gradient_magnitudes, channel)) {}

  // One after the other: their product may leave the range of float where the result does not.
  __device__ __forceinline__ float operator()(float sum) const { return sum * of_input * of_gradient; }
};
