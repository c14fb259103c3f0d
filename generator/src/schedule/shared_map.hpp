// Shared memory of a plan's block, and whether a multiprocessor has room for it.
#pragma once

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Offsets of all that the plan's geometry puts into shared memory, in bytes, behind `pairs` places for pairs.
[[nodiscard]] SharedMap shared_map(const InBlockPlan& plan, const ConvConfig& config, const Arch& arch, int pairs);

/// Whether the plan's threads and memory fit the arch, as often as its geometry says, and its parts go together.
[[nodiscard]] bool fits(const InBlockPlan& plan, const Arch& arch);

/// Lays the shared memory out anew, for a plan that keeps fewer rows than it was made with.
void map_shared(InBlockPlan& plan, const ConvConfig& config);

}  // namespace ffc
