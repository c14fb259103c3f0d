// Statements of a general plan as text: blocks of general_conv.cu.in.
#pragma once

#include <vector>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "general_tables.hpp"
#include "statement.hpp"

namespace ffc {

/// The blocks that statements make: "load", "stages" and "store". The skeleton has the barriers in front of the load
/// and the store. Throws std::logic_error for a factor that no product applies.
[[nodiscard]] Blocks general_blocks(const MixedRadixPlan& plan, const std::vector<Statement>& statements,
                                    const GeneralTables& tables);

/// The block "load_sample": functions that read and write the samples of a pair, gated and scaled.
[[nodiscard]] std::string general_samples(const ConvConfig& config);

}  // namespace ffc
