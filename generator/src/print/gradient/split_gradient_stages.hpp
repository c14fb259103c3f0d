// The stages of the rows of a split plan that makes gradients.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The number of a tensor's place among a pair's.
[[nodiscard]] int index_of(const InBlockPlan& plan, Tensor tensor);

/// Which magnitudes are a pair's, in arguments of UndoneRow.
[[nodiscard]] std::string_view pair_rows(const InBlockPlan& plan);

/// What is done with a row of frequencies of a pair and with its mirror.
[[nodiscard]] std::string gradient_stages(const ConvConfig& config, const InBlockPlan& plan,
                                          const std::vector<Statement>& statements);

}  // namespace ffc
