// The blocks of a tiled kernel that depend on the plan, as text.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// From rows in shared memory to results in shared memory.
[[nodiscard]] std::string tiled_stages(const ConvConfig& config, const InBlockPlan& plan);

/// A barrier.
[[nodiscard]] std::string_view barrier_text(const Statement& barrier);

/// The matrix of fractional rows' products of 8 as `load` reads it at `halves`.
[[nodiscard]] std::string read_halves(std::string_view load);

}  // namespace ffc
