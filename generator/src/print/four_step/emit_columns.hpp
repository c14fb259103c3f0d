// The columns of a split plan.
#pragma once

#include <cstdint>

#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The columns; their tables are the matrices there and back, and begin at `first_table` of the kernel's.
[[nodiscard]] EmittedHalf emit_columns(const ConvConfig& config, const FourStepPlan& plan, std::int64_t first_table);

}  // namespace ffc
