// What the workspace holds of the upper half of a column's frequencies: conjugates, which take the factors of their
// mirrors.
#pragma once

#include "contract_columns.cuh"

//[[mirrored
// Whether rows 8 h to 8 h + 7 of the b-th of a column's 16 x butterflies frequencies lie in the upper half.
__device__ constexpr bool is_mirrored(int b, int h) { return 2 * b + h >= butterflies; }
//]]

// Changes the signs of the imaginary parts of rows in the upper half of the frequencies.
__device__ __forceinline__ void conjugate_mirrored(Columns (&x)[butterflies]) {
#pragma unroll
  for (int b = 0; b < butterflies; ++b)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      if (is_mirrored(b, h)) x[b].im[h] ^= 0x80008000u;
}
