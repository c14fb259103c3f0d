// Whether tensors of a launch share memory.
#pragma once

#include <cstdint>
#include <optional>

namespace ffc {

/// No tensor spans more: no address space is as large, and sums of a few spans stay within 64 bits.
inline constexpr std::int64_t most_span = std::int64_t{1} << 60;

/// Rows of a tensor in memory, in bytes: row (i, j) begins at `first` + i * outer_stride + j * inner_stride. Counts
/// from 1 on, strides from 0 on; the end is at most most_span behind `first`.
struct MemoryRows {
  std::uintptr_t first = 0;
  std::int64_t outer_count = 1, outer_stride = 0;
  std::int64_t inner_count = 1, inner_stride = 0;
  std::int64_t row_bytes = 0;
};

/// From the first row's begin to the last one's end, in bytes or whatever the fields are in; nothing where that is more
/// than `most`.
[[nodiscard]] std::optional<std::int64_t> checked_span(const MemoryRows& rows, std::int64_t most = most_span);

/// Whether a row of `a` and a row of `b` share a byte. Quick where their spans do not meet, both have the same shape,
/// or one of them has no gaps between its rows.
[[nodiscard]] bool share_memory(const MemoryRows& a, const MemoryRows& b);

/// Whether row (i, j) of `a` is row (i, j) of `b`, for all of them.
[[nodiscard]] bool are_same(const MemoryRows& a, const MemoryRows& b);

}  // namespace ffc
