// Configs of given sizes, and what is said when they are refused.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/error.hpp"

namespace ffc {

/// Rows as long as the transform.
inline ConvConfig circular(std::int64_t fft_length) {
  ConvConfig config;
  config.fft_length = fft_length;
  return config;
}

/// Rows of `length` samples, the rest zeros.
inline ConvConfig padded(std::int64_t fft_length, std::int64_t length) {
  ConvConfig config = circular(fft_length);
  config.padding = Padding::padded;
  config.length = length;
  return config;
}

/// Rows of `length` samples and so many taps; 0: open.
inline ConvConfig causal(std::int64_t fft_length, std::int64_t length, std::int64_t filter_length) {
  ConvConfig config = padded(fft_length, length);
  config.padding = Padding::causal;
  config.filter_length = filter_length;
  return config;
}

/// The same with these radices.
inline ConvConfig with_radices(ConvConfig config, std::vector<int> radices) {
  config.radices = std::move(radices);
  return config;
}

/// The same with another change.
inline ConvConfig changed(ConvConfig config, const std::function<void(ConvConfig&)>& change) {
  change(config);
  return config;
}

/// That normalising it throws ConfigError with exactly this message.
inline void check_refused(const ConvConfig& config, const std::string& message) {
  CAPTURE(to_string(config));
  CHECK_THROWS_WITH_AS((void)normalised(config), message.c_str(), ConfigError);
}

}  // namespace ffc
