// Counts of a pair of rows in one block, and what those of longer rows are made of.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/work.hpp"
#include "statement.hpp"

namespace ffc {

/// Of a plan's statements, or of those of rows of a longer transform.
[[nodiscard]] Work sum_of(const InBlockPlan& plan, const std::vector<Statement>& statements);
/// Of the rows of gradients and what they are made of.
[[nodiscard]] Work backward_row_bytes(const Transform& plan, const ConvConfig& config);
/// All of a pair; of a convolution beside the rows that are read and written.
[[nodiscard]] Work block_work(const InBlockPlan& plan, const ConvConfig& config);

}  // namespace ffc
