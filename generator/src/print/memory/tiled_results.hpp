// Results of the tiled family on their way out.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// Results to global memory, scaled and gated.
[[nodiscard]] std::string tiled_store(const ConvConfig& config, const InBlockPlan& plan);

/// The same, with the line that starts the next copies where one buffer serves all.
void emit_store(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, std::string_view next_copies);

}  // namespace ffc
