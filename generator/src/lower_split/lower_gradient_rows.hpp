// Rows of frequencies of both tensors past one block, as statements.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// What is done with a row of u and the same row of dy, which go through the stages of a convolution together, each in
/// a buffer of its own, or one after the other in a `turn` each. Their tiles lie in the same lanes, so that u's
/// frequencies meet dy's without an exchange. Where nothing of a tensor comes back, for columns to take, a `count` says
/// that its row has been read.
[[nodiscard]] std::vector<Statement> lower_gradient_rows(const ConvConfig& config, const InBlockPlan& plan);

}  // namespace ffc
