// Few rows a channel: which kernels have to know, and which gradients take two launches. generator/README.md, "Sums
// past one block".
#pragma once

#include <cstdint>
#include <optional>

#include "ffc/generator/conv_config.hpp"

namespace ffc {

/// What to put in ConvConfig::batch for that many rows, where a kernel for each batch would be too many: `batch`, or
/// one number for several of them, where so few rows may go another way than many do, else 0.
[[nodiscard]] int few_rows_hint(const ConvConfig& config, std::int64_t batch);

/// Gradients in two launches. dv is the convolution whose out gate is dy. Where a channel has one long row the other
/// gradients are then made without sums. Both have one spectrum.
struct GradientParts {
  ConvConfig convolution;  ///< dv, with dy in the place of v
  ConvConfig others;
};

/// The parts of a config that names its arch, where they are predicted to take less time than one launch of all.
/// Throws ConfigError.
[[nodiscard]] std::optional<GradientParts> gradient_parts(const ConvConfig& config);

}  // namespace ffc
