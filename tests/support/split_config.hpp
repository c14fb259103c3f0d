// Configs of transforms past one block, as tests on a GPU have them.
#pragma once

#include <cstdint>

#include "column_config.hpp"
#include "ffc/generator/conv_config.hpp"
#include "length_config.hpp"

namespace ffc::conv_tests {

/// Rows of `length` samples, circular where the transform is as long.
inline ConvConfig config_of(std::int64_t n, std::int64_t length, Gating gating, DataType dtype) {
  ConvConfig config = circular_or_padded(n, length);
  config.gating = gating;
  config.dtype = dtype;
  return config;
}

/// Of 16 x butterfly columns; as many samples where `length` is 0.
inline ConvConfig forced(int butterfly, int row_length, std::int64_t length, Gating gating, DataType dtype) {
  return column_config({16 * butterfly, row_length, length, gating, dtype});
}

/// Where a cluster would be chosen, columns are forced.
inline ConvConfig long_config(std::int64_t n = 65536) {
  ConvConfig config = config_of(n, n, Gating::none, DataType::fp16);
  if (n == 65536 || n == 131072) config.column_length = static_cast<int>(n / 1024);
  return config;
}

}  // namespace ffc::conv_tests
