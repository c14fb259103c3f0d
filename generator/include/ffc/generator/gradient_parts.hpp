// Gradients in two launches, where that is less work than one.
#pragma once

#include <optional>

#include "ffc/generator/conv_config.hpp"

namespace ffc {

/// dv is the convolution whose out gate is dy. Where a channel has one long row the other gradients are then made
/// without sums (generator/README.md, "Gradients of few rows"). Both have one spectrum.
struct GradientParts {
  ConvConfig convolution;  ///< dv, with dy in the place of v
  ConvConfig others;
};

/// The parts of a config that names its arch, where they are predicted to take less time than one launch of all.
/// Throws ConfigError.
[[nodiscard]] std::optional<GradientParts> gradient_parts(const ConvConfig& config);

}  // namespace ffc
