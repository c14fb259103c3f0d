// Kernels between taps and spectra in standard order.
#pragma once

#include "ffc/generator/real_transform.hpp"

namespace ffc {

/// For a normalised config that names its arch.
[[nodiscard]] GeneratedRealTransform emit_real_transform(const RealTransformConfig& config);

}  // namespace ffc
