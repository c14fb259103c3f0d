// Gradients of rows in windows against float64, on any machine.
#pragma once

#include <doctest/doctest.h>

#include "backward_run.hpp"

namespace ffc::conv_tests {

/// Gradients of causal rows: a filter of `taps` and windows of `n` samples, chosen where that is 0.
struct WindowCase {
  std::int64_t n, taps, length;
  Gating gating = Gating::none;
  std::string_view gradients = "du,dw,dv,dk,dd";
  DataType dtype = DataType::fp16;
};

inline ConvConfig config_of(const WindowCase& test) {
  ConvConfig config;
  config.fft_length = test.n;
  config.length = test.length;
  config.filter_length = test.taps;
  config.padding = Padding::causal;
  config.gating = test.gating;
  config.dtype = test.dtype;
  config.pass = Pass::backward;
  config.gradients = parse_gradients(test.gradients);
  return config;
}

/// Within the bars on fresh data, in windows.
inline void require_accurate_windows(const std::shared_ptr<Machine>& machine, const ConvConfig& config, int batch,
                                     int channels) {
  static unsigned seed = 1;
  CAPTURE(to_string(config));
  CAPTURE(batch);
  const auto kernel = get_kernel(config, machine->device());
  REQUIRE(kernel->generated().windows);
  check_errors(gradient_errors(machine, config, recipe_of(batch, channels), seed++), config.dtype);
}

/// Gradients of three rows of a channel give the same bits whatever the workspace.
inline void require_same_bits(const std::shared_ptr<Machine>& machine, const ConvConfig& config) {
  CAPTURE(to_string(config));
  const auto kernel = get_kernel(config, machine->device());
  REQUIRE(kernel->generated().windows);
  constexpr int batch = 3, channels = 3;
  BackwardRun run(machine, kernel, recipe_of(batch, channels), 9);
  kernel->launch_backward(run.arguments());
  machine->synchronize();
  check_errors(run.errors(), config.dtype);
  const auto expected = run.bytes();
  run.poison();
  const Buffer workspace(machine, kernel->backward_workspace_bytes(batch, 1));
  run.arguments().workspace = {workspace.data(), workspace.bytes()};
  kernel->launch_backward(run.arguments());
  machine->synchronize();
  CHECK(run.bytes() == expected);
}

}  // namespace ffc::conv_tests
