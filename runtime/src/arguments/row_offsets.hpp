// Whether the tensors of a launch lie alike: which of two programs it runs (Generated::apart).
#pragma once

#include "ffc/runtime/kernel.hpp"

namespace ffc {

/// Whether rows (i, j) of all tensors begin as far behind lines of 16 bytes as each other, for all i and j. Tensors
/// that are not there do. Of arguments that have been checked.
[[nodiscard]] bool lie_alike(const LaunchArguments& arguments);
[[nodiscard]] bool lie_alike(const BackwardArguments& arguments);

}  // namespace ffc
