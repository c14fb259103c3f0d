// What a tiled kernel reads or makes once, for the whole batch.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "tiled_tables.hpp"

namespace ffc {

/// Constants that every thread or block keeps for the whole batch.
[[nodiscard]] std::string tiled_setup(const ConvConfig& config, const InBlockPlan& plan, const TiledTables& tables);

}  // namespace ffc
