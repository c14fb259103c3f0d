// The kernel that measures rows ahead of a convolution that cannot do so itself.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"

namespace ffc {

/// The kernel that finds the largest magnitude of each channel's rows, of u . w and of dy . v
/// (Generated::magnitudes). It is the same for all configs with rows of that length, type and alignment.
[[nodiscard]] GeneratedKernel emit_magnitudes(const ConvConfig& config);

}  // namespace ffc
