// The stages down the columns of a real row.
#pragma once

#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"
#include "text.hpp"

namespace ffc {

/// Such a stage, as emit_columns_stage has it: butterflies over real tiles, and products that make half of the
/// frequencies.
void emit_real_columns_stage(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const Statement& stage,
                             std::string_view rows, std::string_view scale);

}  // namespace ffc
