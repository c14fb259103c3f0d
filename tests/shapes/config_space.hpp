// The configs that shapes are looked for in: lengths of every kind, by every field that reaches the emitted text.
#pragma once

#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"

namespace ffc::shapes {

/// One part of the space, under the name that `shapes --make` counts it by.
struct Part {
  std::string_view name;
  std::vector<ConvConfig> configs;  ///< some may be refused with a ConfigError: there is no kernel then
};

/// All parts, for one arch.
[[nodiscard]] std::vector<Part> config_space(std::string_view arch);

}  // namespace ffc::shapes
