// The kernel of columns and rows, and what a launch of it needs.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The kernel of a split plan, its filter and its launch (generate of that family).
[[nodiscard]] Generated generate_split(const ConvConfig& config, const FourStepPlan& plan);

/// The filter kernel of a split or cluster plan, whose config `result` holds, and its tag; `gain` makes up for the
/// scales of columns and rows.
void put_split_filter(Generated& result, const FourStepPlan& plan, double gain);

}  // namespace ffc
