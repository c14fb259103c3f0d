// What happens to rows of a backward kernel in shared memory before its stages, and behind them: gradients out.
#pragma once

#include <span>
#include <string>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "gradient_results.hpp"
#include "statement.hpp"
#include "text.hpp"

namespace ffc {

/// Results to global memory, scaled and gated, and the next pair's copies.
[[nodiscard]] std::string backward_store(const ConvConfig& config, const InBlockPlan& plan);

/// Of delayed rows of that tensor, which have come to shared memory as they are: empties what came ahead of them.
void emit_drop(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor);

/// Lines that measure the rows in shared memory of these tensors, up to the barrier behind which `found_scales` says
/// what they have found, u's power of two and dy's. Their threads go on with what `largest` holds.
void emit_find_largest(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan,
                       std::span<const Statement> tensors);

/// Lines that store what a turn has made.
void emit_gradient_store(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan, Turn turn);

}  // namespace ffc
