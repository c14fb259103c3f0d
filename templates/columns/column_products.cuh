// Products between samples and the digit that takes their place, where samples fill all 16 values of theirs.
#pragma once

#include "contract_columns.cuh"

// `load` says what lies at an address.
template <class Load>
__device__ __forceinline__ void contract_tile_in(ColumnMatrices tables, SharedAddress tile, int thread, Load load) {
  for_each_matrix(tables, thread, [&](const ColumnMatrix& matrix, int b, int first) {
#pragma unroll
    for (int chunk = first; chunk < first + product_chunks; ++chunk) {
      const SharedAddress at = columns_at(tile, b, chunk, thread % 32);
      store_columns(at, contract_columns(matrix, load(at)));
    }
  });
}

__device__ __forceinline__ void contract_tile_out(ColumnMatrices tables, SharedAddress tile, int thread) {
  contract_tile_in(tables, tile, thread, [](SharedAddress at) { return load_columns(at); });
}
