// Configs of columns and rows that are forced.
#pragma once

#include <cstdint>
#include <string>

#include "ffc/generator/conv_config.hpp"
#include "length_config.hpp"

namespace ffc::conv_tests {

/// A transform of `column_length` x `row_length` points, whose columns are forced.
struct ColumnCase {
  int column_length, row_length;
  std::int64_t length = 0;  ///< 0: all of them
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  std::string arch = {};
};

/// Circular rows, or padded ones where they are shorter than the transform.
inline ConvConfig column_config(const ColumnCase& test) {
  const std::int64_t n = std::int64_t{test.column_length} * test.row_length;
  ConvConfig config = circular_or_padded(n, test.length > 0 ? test.length : n);
  config.column_length = test.column_length;
  config.gating = test.gating;
  config.dtype = test.dtype;
  config.arch = test.arch;
  return config;
}

}  // namespace ffc::conv_tests
