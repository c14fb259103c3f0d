// The roots between the columns and the rows of a transform that is shared out as both.
#pragma once

#include "float_radices.cuh"

// Of outputs `done` rows apart of a column's last butterfly, the first of them in `row`.
template <int points, int done, int radix>
__device__ __forceinline__ void multiply_by_column_roots(float2 (&x)[radix], int row, int column) {
  if (radix > 1) multiply_by_powers(x, unit_root<points>(done * column));
  const float2 root = unit_root<points>(row * column);
#pragma unroll
  for (int q = 0; q < radix; ++q) x[q] = multiply(x[q], root);
}
