// Transforms of columns and rows, and other kernels, run on the host against float64.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>

#include "column_config.hpp"
#include "conv_run.hpp"

namespace ffc::conv_tests {

/// The host, one for all runs of a test.
inline const std::shared_ptr<Machine>& machine() {
  static const std::shared_ptr<Machine> host = Machine::host();
  return host;
}

/// Rows with gaps between them.
inline Recipe gapped(int batch, int channels) {
  Recipe recipe;
  recipe.batch = batch;
  recipe.channels = channels;
  recipe.row_gap = 1;
  return recipe;
}

/// The accuracy that runtime/README.md promises, and whatever else `check` finds in the kernel.
inline void require_accurate_kernel(const ConvConfig& config, const Recipe& recipe, unsigned seed,
                                    const std::function<void(const Kernel&)>& check = {}) {
  CAPTURE(to_string(config));
  CAPTURE(recipe.batch);
  const auto kernel = get_kernel(config, machine()->device());
  CAPTURE(kernel->name());
  if (check) check(*kernel);
  CHECK(relative_error(machine(), config, recipe, seed) <= bar(*kernel));
}

}  // namespace ffc::conv_tests
