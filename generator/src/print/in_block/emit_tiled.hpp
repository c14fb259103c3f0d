// Convolutions of the tiled family, and the rows of longer transforms.
#pragma once

#include <vector>

#include "emitted.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

[[nodiscard]] EmittedConv emit_tiled(const ConvConfig& config, const InBlockPlan& plan);

/// The rows, `plan` being that of a row and `statements` what each goes through; their tables come first. `order` of
/// the spectrum's tiles is tiled_spectrum_order.
[[nodiscard]] EmittedHalf emit_inner_rows(const ConvConfig& config, const InBlockPlan& plan,
                                          const std::vector<Statement>& statements);

}  // namespace ffc
