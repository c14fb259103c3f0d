// Statements of a general plan as text: blocks of general_conv.cu.in.
#pragma once

#include <string>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "general_tables.hpp"
#include "statement.hpp"

namespace ffc {

/// The block "stages": a pass for each product, and one for the last digit there and back. The first reads samples and
/// the last writes them. Throws std::logic_error for a factor that no product applies.
[[nodiscard]] std::string general_stages(const MixedRadixPlan& plan, const std::vector<Statement>& statements,
                                         const GeneralTables& tables);

}  // namespace ffc
