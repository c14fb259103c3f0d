// Configs drawn at random, of every kind that there is.
#pragma once

#include <cstdint>
#include <random>

#include "ffc/generator/conv_config.hpp"

namespace ffc::shapes {

/// How large what is drawn may be.
struct Limits {
  std::int64_t length = 16777216;  ///< samples of a row, and points of a transform
  bool masks = true;
};

/// A config that there is a kernel for, normalised, for `default_arch`. The same from the same state on any machine.
[[nodiscard]] ConvConfig draw_config(std::mt19937_64& random, const Limits& limits = {});

}  // namespace ffc::shapes
