// The config of gradients that tests of plans and texts begin with.
#pragma once

#include <cstdint>
#include <string_view>

#include "ffc/generator/conv_config.hpp"

namespace ffc {

inline ConvConfig backward(std::int64_t n, Gating gating = Gating::none) {
  ConvConfig config;
  config.fft_length = n;
  config.gating = gating;
  config.pass = Pass::backward;
  config.arch = "sm_90a";
  return config;
}

inline ConvConfig with_gradients(ConvConfig config, std::string_view wanted) {
  config.gradients = parse_gradients(wanted);
  return config;
}

}  // namespace ffc
