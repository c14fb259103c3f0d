// Configs that most tests begin with.
#pragma once

#include <cstdint>
#include <string_view>

#include "ffc/generator/conv_config.hpp"

namespace ffc {

[[nodiscard]] inline ConvConfig of_length(std::int64_t n, std::string_view arch) {
  ConvConfig config;
  config.fft_length = n;
  config.arch = arch;
  return config;
}

/// Rows of `length` samples: circular where the transform is as long, else padded.
[[nodiscard]] inline ConvConfig circular_or_padded(std::int64_t n, std::int64_t length) {
  ConvConfig config;
  config.fft_length = n;
  config.length = length;
  config.padding = length == n ? Padding::circular : Padding::padded;
  return config;
}

}  // namespace ffc
