// One launch of a config on a machine, against float64 and with guards around everything that it may write.
#pragma once

#include <memory>

#include "../../examples/machine.hpp"
#include "launch_outcome.hpp"

namespace ffc::shapes {

/// Runs it. Exceptions of the library become faults.
[[nodiscard]] Outcome run(const std::shared_ptr<examples::Machine>& machine, const Launch& launch);

}  // namespace ffc::shapes
