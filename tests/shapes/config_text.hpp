// Configs as lines of text that can be read back.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"

namespace ffc::shapes {

/// What shapes are listed and run for: what the host runs, and an H100 or H200.
inline constexpr std::string_view default_arch = "sm_90a";

/// Fields of to_string(config) from which the others follow, for `default_arch`.
[[nodiscard]] std::string short_text(const ConvConfig& config);

/// The config that `text` is of: any of the fields of to_string(config) as `field=value`, with spaces between them.
/// Throws std::invalid_argument for anything else.
[[nodiscard]] ConvConfig parse_config(std::string_view text);

}  // namespace ffc::shapes
