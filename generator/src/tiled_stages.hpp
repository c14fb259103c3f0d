// The blocks of a tiled kernel that depend on the plan, as text.
#pragma once

#include <string>

#include "ffc/generator/plan.hpp"
#include "tiled_tables.hpp"

namespace ffc {

/// Constants that every thread or block keeps for the whole batch.
[[nodiscard]] std::string tiled_setup(const ConvConfig& config, const Plan& plan, const TiledTables& tables);
/// The lambda that starts the copies of one pair.
[[nodiscard]] std::string tiled_load(const ConvConfig& config, const Plan& plan);
/// From rows in shared memory to results in shared memory.
[[nodiscard]] std::string tiled_stages(const ConvConfig& config, const Plan& plan);
/// Results to global memory, scaled and gated.
[[nodiscard]] std::string tiled_store(const ConvConfig& config, const Plan& plan);

}  // namespace ffc
