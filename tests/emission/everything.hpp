// All that the generator makes of a config, as one text: what a change that is to change nothing must leave alone.
#pragma once

#include <string>

#include "ffc/generator/conv_config.hpp"

namespace ffc::emission {

/// Every program with its options, tables and launch data, the grids of some launches, the steps of the chosen plan,
/// what it is predicted to do, and the price of every plan that was weighed. Of a config that the generator refuses,
/// its words.
[[nodiscard]] std::string everything_of(const ConvConfig& config);

/// The program that the host device makes of an empty kernel: the twins of the device primitives.
[[nodiscard]] std::string host_twins();

}  // namespace ffc::emission
