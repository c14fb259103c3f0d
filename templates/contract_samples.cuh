// Columns from samples to frequencies.
#pragma once

#include "contract_columns.cuh"

__device__ __forceinline__ ColumnTile contract_samples(const ColumnMatrix& f, const ColumnTile& x) {
  return contract_columns(f, x);
}
