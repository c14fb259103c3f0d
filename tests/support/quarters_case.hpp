// A test of rows or windows that are transformed alone, by the radices that force them.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"

namespace ffc::conv_tests {

struct Case {
  std::vector<int> radices;  // of half of the window
  std::int64_t length, taps;
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  int batch = 2, row_alignment = 0;
  std::string arch = "sm_90a";
};

// Windows of twice the product of the radices.
inline ConvConfig config_of(const Case& test) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.radices = test.radices;
  config.fft_length = std::accumulate(test.radices.begin(), test.radices.end(), std::int64_t{2}, std::multiplies<>());
  config.length = test.length;
  config.filter_length = test.taps;
  config.gating = test.gating;
  config.dtype = test.dtype;
  config.row_alignment = test.row_alignment;
  config.arch = test.arch;
  return config;
}

inline InBlockPlan plan_of(const Case& test) {
  return *make_plans(normalised(config_of(test))).front().as<InBlockPlan>();
}

}  // namespace ffc::conv_tests
