// The steps of a transform in one block as statements.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The statements that carry out the steps of a tiled plan, each step once: of a pair that is in shared memory or on
/// its way there, of a row of a longer transform, of gradients of a pair. Throws std::logic_error for a step that no
/// statement carries out.
[[nodiscard]] std::vector<Statement> lower_tiled(const ConvConfig& config, const InBlockPlan& plan);

/// `body(statement)` for each, and for those of the bodies of stages and loops, in their order.
template <class Body>
void each_statement(const std::vector<Statement>& statements, Body body) {
  for (const Statement& statement : statements) {
    body(statement);
    each_statement(statement.body, body);
  }
}

}  // namespace ffc
