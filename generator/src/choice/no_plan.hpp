// Why there is no plan for a config, in words: what is wrong, its value, and what is right.
#pragma once

#include "ffc/generator/conv_config.hpp"

namespace ffc {

/// Of a normalised config that no plan was found for.
[[noreturn]] void throw_no_plan(const ConvConfig& config);

}  // namespace ffc
