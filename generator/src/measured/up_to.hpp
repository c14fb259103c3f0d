// A table of what was measured, by size.
#pragma once

#include <cstddef>
#include <limits>

namespace ffc::measured {

inline constexpr int any_size = std::numeric_limits<int>::max();

/// What holds up to a size, behind that of the row above.
struct UpTo {
  int size;
  double value;
};

/// The first row that reaches the size. The last is of any_size.
template <std::size_t rows>
[[nodiscard]] constexpr double look_up(const UpTo (&table)[rows], int size) {
  std::size_t row = 0;
  while (size > table[row].size) ++row;
  return table[row].value;
}

}  // namespace ffc::measured
