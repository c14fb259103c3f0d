// A thread's chunk of every row of an item as text.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "row_access.hpp"
#include "statement.hpp"

namespace ffc {

/// The body of the device function that carries out a loop over chunks: from samples to the blocks that hold rows of
/// frequencies, or from there to y.
[[nodiscard]] std::string cluster_chunks(const ConvConfig& config, const RowAccess& access, const Statement& chunks);

}  // namespace ffc
