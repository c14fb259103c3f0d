// The stages down the columns of the tiled family.
#pragma once

#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "stage_report.hpp"
#include "statement.hpp"
#include "text.hpp"

namespace ffc {

/// A stage down the columns, as lower_columns makes it, on the rows at the address named `rows`. `scale` as of
/// emit_conversion.
void emit_columns_stage(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, const Statement& stage,
                        std::string_view rows = "rows_at", std::string_view scale = {});

}  // namespace ffc
