// Configs drawn at random, of every kind that there is.
#pragma once

#include <cstdint>
#include <random>

#include "ffc/generator/generated_kernel.hpp"

namespace ffc::shapes {

/// How large what is drawn may be.
struct Limits {
  std::int64_t length = 16777216;  ///< samples of a row, and points of a transform
  bool masks = true;
};

/// What a config emits that there is a kernel for, for `default_arch`. The same from the same state on any machine.
[[nodiscard]] Generated draw_kernel(std::mt19937_64& random, const Limits& limits = {});

/// Its config, normalised.
[[nodiscard]] inline ConvConfig draw_config(std::mt19937_64& random, const Limits& limits = {}) {
  return draw_kernel(random, limits).config;
}

}  // namespace ffc::shapes
