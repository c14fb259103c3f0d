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

/// Causal rows with as many taps, for an H200.
[[nodiscard]] inline ConvConfig causal_of_length(std::int64_t length) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = length;
  config.arch = "sm_90a";
  return config;
}

/// The same for gradients of rows and taps.
[[nodiscard]] inline ConvConfig causal_gradients(std::int64_t length) {
  ConvConfig config = causal_of_length(length);
  config.pass = Pass::backward;
  config.gradients = parse_gradients("du,dk");
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
