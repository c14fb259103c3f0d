// The config that most tests of the generator begin with.
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

}  // namespace ffc
