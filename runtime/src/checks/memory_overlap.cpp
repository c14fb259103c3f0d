// Overlap of strided rows.
#include "memory_overlap.hpp"

#include <algorithm>
#include <utility>

namespace ffc {
namespace {

// The bytes from the first row's begin to the last one's end.
std::int64_t span(const MemoryRows& rows) {
  return (rows.outer_count - 1) * rows.outer_stride + (rows.inner_count - 1) * rows.inner_stride + rows.row_bytes;
}

struct Axis {
  std::int64_t count, stride;
};

// Do rows, and rows of rows, follow each other without a gap?
bool has_no_gaps(const MemoryRows& rows) {
  Axis near = {rows.inner_count, rows.inner_stride}, far = {rows.outer_count, rows.outer_stride};
  if (near.stride > far.stride) std::swap(near, far);
  if (near.count > 1 && near.stride > rows.row_bytes) return false;
  return far.count == 1 || far.stride <= (near.count - 1) * near.stride + rows.row_bytes;
}

bool same_shape(const MemoryRows& a, const MemoryRows& b) {
  return a.outer_count == b.outer_count && a.inner_count == b.inner_count && a.row_bytes == b.row_bytes &&
         (a.outer_count == 1 || a.outer_stride == b.outer_stride) &&
         (a.inner_count == 1 || a.inner_stride == b.inner_stride);
}

// Floor of a / b, b > 0.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Multiples of `stride`, from `least` times it to `most` times it.
struct Steps {
  std::int64_t least, most, stride;
};

// Is a sum of one of each in the open interval from `low` to `high`?
bool reaches(Steps outer, Steps inner, std::int64_t low, std::int64_t high) {
  if (outer.most - outer.least > inner.most - inner.least) std::swap(outer, inner);
  for (std::int64_t i = outer.least; i <= outer.most; ++i) {
    const std::int64_t from = low - i * outer.stride, to = high - i * outer.stride;
    if (inner.stride == 0 || inner.least == inner.most) {
      const std::int64_t at = inner.least * inner.stride;
      if (from < at && at < to) return true;
      continue;
    }
    const std::int64_t j = std::max(floor_divide(from, inner.stride) + 1, inner.least);
    if (j <= inner.most && j * inner.stride < to) return true;
  }
  return false;
}

// Does a row of `rows` meet the bytes from `begin` to `end`?
bool meets(const MemoryRows& rows, std::uintptr_t begin, std::int64_t bytes) {
  const auto offset = static_cast<std::int64_t>(begin - rows.first);
  return reaches({0, rows.outer_count - 1, rows.outer_stride}, {0, rows.inner_count - 1, rows.inner_stride},
                 offset - rows.row_bytes, offset + bytes);
}

// Rows by the axis with the larger stride, and without steps that lead nowhere.
MemoryRows ordered(MemoryRows rows) {
  if (rows.outer_stride == 0) rows.outer_count = 1;
  if (rows.inner_stride == 0) rows.inner_count = 1;
  if (rows.outer_stride < rows.inner_stride) {
    std::swap(rows.outer_stride, rows.inner_stride);
    std::swap(rows.outer_count, rows.inner_count);
  }
  return rows;
}

// The bytes of the rows of one outer step.
std::int64_t inner_span(const MemoryRows& rows) { return (rows.inner_count - 1) * rows.inner_stride + rows.row_bytes; }

// Of any shape, `b` beginning `offset` behind `a`: only outer steps whose inner rows reach each other are compared.
bool any_meet(const MemoryRows& a, const MemoryRows& b, std::int64_t offset) {
  const std::int64_t step = std::max<std::int64_t>(b.outer_stride, 1);
  for (std::int64_t i = 0; i < a.outer_count; ++i) {
    const std::int64_t behind = i * a.outer_stride - offset;  // of b's first row
    const std::int64_t first = std::max<std::int64_t>(0, floor_divide(behind - inner_span(b), step) + 1);
    const std::int64_t last = std::min(b.outer_count - 1, floor_divide(behind + inner_span(a) - 1, step));
    for (std::int64_t k = first; k <= last; ++k) {
      const std::int64_t apart = k * b.outer_stride - behind;
      if (reaches({0, a.inner_count - 1, a.inner_stride}, {1 - b.inner_count, 0, b.inner_stride}, apart - a.row_bytes,
                  apart + b.row_bytes))
        return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::int64_t> checked_span(const MemoryRows& rows, std::int64_t most) {
  std::int64_t outer = 0, inner = 0, all = 0;
  if (__builtin_mul_overflow(rows.outer_stride, rows.outer_count - 1, &outer) ||
      __builtin_mul_overflow(rows.inner_stride, rows.inner_count - 1, &inner) ||
      __builtin_add_overflow(outer, inner, &all) || __builtin_add_overflow(all, rows.row_bytes, &all) || all > most)
    return std::nullopt;
  return all;
}

bool are_same(const MemoryRows& a, const MemoryRows& b) { return a.first == b.first && same_shape(a, b); }

bool share_memory(const MemoryRows& a, const MemoryRows& b) {
  const auto offset = static_cast<std::int64_t>(b.first - a.first);
  if (offset >= span(a) || -offset >= span(b)) return false;
  if (has_no_gaps(a)) return meets(b, a.first, span(a));
  if (has_no_gaps(b)) return meets(a, b.first, span(b));
  if (!same_shape(a, b)) return any_meet(ordered(a), ordered(b), offset);
  // Row (i, j) of b lies (i, j) steps and the offset from row (0, 0) of a, and so for any two rows.
  return reaches({1 - a.outer_count, a.outer_count - 1, a.outer_stride},
                 {1 - a.inner_count, a.inner_count - 1, a.inner_stride}, -offset - a.row_bytes, -offset + a.row_bytes);
}

}  // namespace ffc
