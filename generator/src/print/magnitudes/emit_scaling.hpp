// The kernel that makes magnitudes of reports.
#pragma once

#include <string_view>

#include "ffc/generator/generated_kernel.hpp"

namespace ffc {

/// The kernel that follows what launches report from step to step (Generated::scaling). It is the same for all configs
/// of an architecture.
[[nodiscard]] GeneratedKernel emit_scaling(std::string_view arch);

}  // namespace ffc
