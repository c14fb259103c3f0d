// The blocks of a tiled kernel that depend on the plan, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// `statements` of a convolution in one block, or of a row of a longer one: from rows in shared memory to results in
/// shared memory.
[[nodiscard]] std::string tiled_stages(const ConvConfig& config, const InBlockPlan& plan,
                                       const std::vector<Statement>& statements);

/// Of a split plan's rows: what depends on the frequency of the row.
[[nodiscard]] std::string tiled_frequency(const InBlockPlan& plan);

/// Ahead of those: which frequencies' factors are there, where a block keeps two's.
[[nodiscard]] std::string tiled_kept_factors(const InBlockPlan& plan);

/// A barrier, with its steps.
[[nodiscard]] std::string barrier_text(const Statement& barrier, std::string_view comment = {});

/// The matrix of fractional rows' products of 8 as `load` reads it at `halves`.
[[nodiscard]] std::string read_halves(std::string_view load);

}  // namespace ffc
