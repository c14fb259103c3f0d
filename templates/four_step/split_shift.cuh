// Twiddles of the samples 256 apart, the part of A in split_twiddle.cuh, for data.
#pragma once

#include "split_twiddle.cuh"

// exp(-2 pi i 256 frequency A / N) for samples A = row and row + step.
__device__ __forceinline__ PackedRoots split_shift(int frequency, int row, int step) {
  return packed_roots(unit_root<transform_length>(row_samples * frequency * row),
                      unit_root<transform_length>(row_samples * frequency * (row + step)));
}
