// How a real transform is computed: in one block, as columns and rows, or by a convolution with chirps.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ffc {

enum class RealTransformKind {
  block,  ///< a block holds a channel's points
  split,  ///< columns and rows
  chirp   ///< columns and rows of more points than there are, which are convolved with chirps: for large primes
};

/// Points are samples of odd lengths, pairs of samples of even ones.
struct RealShape {
  RealTransformKind kind = RealTransformKind::block;
  std::int64_t points = 1;
  std::vector<int> radices;   ///< of a block's transform
  int columns = 1, rows = 1;  ///< points of a column, and rows; points of a row
  int columns_at_once = 1;    ///< of a block, as what follows
  int rows_at_once = 1;
  std::vector<int> column_radices, row_radices;

  /// Complex numbers that a block holds.
  [[nodiscard]] std::int64_t numbers() const;
};

/// The quickest that takes `length` samples on that arch.
[[nodiscard]] RealShape real_shape(std::int64_t length, std::string_view arch);

}  // namespace ffc
