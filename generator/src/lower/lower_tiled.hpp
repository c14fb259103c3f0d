// The steps of a transform in one block as statements.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The statements that carry out the steps of a tiled plan, each step once: of a pair that is in shared memory or on
/// its way there, of a row of a longer transform, of gradients of a pair. Throws std::logic_error for a step that no
/// statement carries out, that two do, or that stands elsewhere than its statement does.
[[nodiscard]] std::vector<Statement> lower_tiled(const ConvConfig& config, const InBlockPlan& plan);

/// Throws where the statements do not carry out each step of a plan once, and those of a tensor in their order.
void check_steps(const Transform& plan, const std::vector<Statement>& statements);

}  // namespace ffc
