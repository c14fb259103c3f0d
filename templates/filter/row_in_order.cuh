// A spectrum's row whose order is any: from the array of the block that has all of its frequencies.
#pragma once

#include "block_transform.cuh"
#include "filter_items.cuh"

__device__ __forceinline__ void store_row(const SharedArray& array, const int* order, uint4* row, SpectrumScale scale) {
  const auto frequency = [&](int f) { return frequency_of([&](int number) { return array.load(number); }, f); };
  for (int item = thread_number(); item < row_items; item += threads) store_item(row, order, item, scale, frequency);
}
