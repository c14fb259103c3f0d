// The steps of columns and rows as statements.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The statements that carry out a plan's steps, each step once: columns in, rows of frequencies, columns back, as one
/// complex row passes through them, or one of each tensor of gradients. Of the rows, digits are counted from the first
/// of theirs. What is carried out is the same as in lower_turn, where columns of one row come while those of another
/// leave. Throws std::logic_error for a step that no statement carries out, that two do, or that stands elsewhere than
/// its statement does.
[[nodiscard]] std::vector<Statement> lower_split(const ConvConfig& config, const FourStepPlan& plan);

}  // namespace ffc
