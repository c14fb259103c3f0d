// The stages down the columns of the tiled family.
#pragma once

#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// The first or, `inverse`, the last stage of a kernel with a column stage, on the rows at the address named `rows`.
void emit_columns_stage(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, bool inverse,
                        std::string_view rows = "rows_at");

}  // namespace ffc
