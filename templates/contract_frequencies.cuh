// Columns from frequencies to samples.
#pragma once

#include "contract_columns.cuh"

__device__ __forceinline__ ColumnTile contract_frequencies(const ColumnMatrix& f, const ColumnTile& x) {
  return contract_columns(f, x);
}
