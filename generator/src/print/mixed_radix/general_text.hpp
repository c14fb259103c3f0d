// Statements of a general plan as text: blocks of general_conv.cu.in.
#pragma once

#include <string>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "general_tables.hpp"
#include "row_access.hpp"
#include "statement.hpp"

namespace ffc {

/// The block "stages": a pass for each product, and one for the last digit there and back. The first reads samples and
/// the last writes them. Throws std::logic_error for a factor that no product applies.
[[nodiscard]] std::string general_stages(const MixedRadixPlan& plan, const std::vector<Statement>& statements,
                                         const GeneralTables& tables);

/// The block "walk": which pairs a block takes, and where its place in the workspace is.
[[nodiscard]] std::string general_walk(const MixedRadixPlan& plan);

/// The block "pair": functions that read and write the two rows of a pair, as they are stored.
[[nodiscard]] std::string general_pair(const RowAccess& access);

/// The block "load_sample": functions that read and write the samples of a pair, gated and scaled.
[[nodiscard]] std::string general_samples(const ConvConfig& config, const MixedRadixPlan& plan,
                                          const RowAccess& access);

}  // namespace ffc
