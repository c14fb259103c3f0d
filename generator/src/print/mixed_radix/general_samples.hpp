// The text of the general family around its passes: which pairs a block takes, and their samples.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_access.hpp"

namespace ffc {

/// The block "walk": which pairs a block takes, and where its place in the workspace is.
[[nodiscard]] std::string general_walk(const MixedRadixPlan& plan);

/// The block "pair": functions that read and write the two rows of a pair, as they are stored.
[[nodiscard]] std::string general_pair(const RowAccess& access);

/// The block "load_sample": functions that read and write the samples of a pair, gated and scaled.
[[nodiscard]] std::string general_samples(const ConvConfig& config, const MixedRadixPlan& plan,
                                          const RowAccess& access);

}  // namespace ffc
