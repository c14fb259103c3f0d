// Plans of gradients: which there are, and the threads and memory of each.
#pragma once

#include <optional>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// The plans of a normalised backward config, best first; empty where there are none. The digits are those of the
/// forward config where its plan is a tiled or a split one and takes whole rows, so that one spectrum serves both.
[[nodiscard]] std::vector<Plan> backward_plans(const ConvConfig& config);

/// The forward config whose plans those of whole rows follow: where it has none, gradients have none. Nothing where
/// rows do not go whole.
[[nodiscard]] std::optional<ConvConfig> followed_config(const ConvConfig& config);

/// Both take rows alone in columns and rows, by the same digits: one spectrum serves both.
[[nodiscard]] bool share_digits_alone(const Plan& a, const Plan& b);

}  // namespace ffc
