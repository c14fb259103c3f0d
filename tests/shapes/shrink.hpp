// A failing launch made as small as it stays failing.
#pragma once

#include <functional>

#include "launch_run.hpp"

namespace ffc::shapes {

/// Whether a launch fails. Those of configs without a kernel do not.
using Fails = std::function<bool(const Launch&)>;

/// From a launch that fails to the smallest that still does, one change at a time: rows, channels and batch, gates and
/// type, gradients and exponents. `at_most` launches are tried.
[[nodiscard]] Launch shrunk(Launch launch, const Fails& fails, int at_most = 60);

}  // namespace ffc::shapes
