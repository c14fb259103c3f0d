// What a thread of a cluster's columns takes of the rows of samples at a time.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"
#include "row_access.hpp"

namespace ffc {

/// Lines of the device function that reads them from a tensor, and of the one that writes them.
[[nodiscard]] std::string read_words_block(const RowAccess& access);
[[nodiscard]] std::string write_words_block(const ConvConfig& config, const RowAccess& access);

}  // namespace ffc
