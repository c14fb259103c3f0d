// What brings products of two rows back to the rows as they came, from what brings either back.
#pragma once

// One that leaves the range of float is that of results that do; zeros times it stay zeros.
__device__ __forceinline__ float scale_of_products(float of_input, float of_gradient) {
  return fminf(of_input * of_gradient, 0x1p127f);
}
