// Whether tensors of a launch share memory.
#pragma once

#include <cstdint>

namespace ffc {

/// Rows of a tensor in memory, in bytes: row (i, j) begins at `first` + i * outer_stride + j * inner_stride. Counts
/// from 1 on, strides from 0 on; the end is known not to overflow.
struct MemoryRows {
  std::uintptr_t first = 0;
  std::int64_t outer_count = 1, outer_stride = 0;
  std::int64_t inner_count = 1, inner_stride = 0;
  std::int64_t row_bytes = 0;
};

/// Whether a row of `a` and a row of `b` share a byte. Exact where both have the same shape, or one of them has no gaps
/// between its rows; else only rows that begin at the same place, or less than a row apart, are found: the first of
/// each.
[[nodiscard]] bool share_memory(const MemoryRows& a, const MemoryRows& b);

}  // namespace ffc
