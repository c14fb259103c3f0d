// Statements of a general plan as text: blocks of general_conv.cu.in.
#pragma once

#include <string>
#include <vector>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "general_tables.hpp"
#include "row_access.hpp"
#include "statement.hpp"

namespace ffc {

/// The blocks that statements make: "load", "stages" and "store", of rows that the access map describes. The skeleton
/// has the barriers in front of the load and the store. Throws std::logic_error for a factor that no product applies.
[[nodiscard]] Blocks general_blocks(const MixedRadixPlan& plan, const std::vector<Statement>& statements,
                                    const GeneralTables& tables, const RowAccess& access);

/// The block "pair": functions that read and write the two rows of a pair, as they are stored.
[[nodiscard]] std::string general_pair(const RowAccess& access);

/// The block "load_sample": functions that read and write the samples of a pair, gated and scaled.
[[nodiscard]] std::string general_samples(const ConvConfig& config, const RowAccess& access);

}  // namespace ffc
