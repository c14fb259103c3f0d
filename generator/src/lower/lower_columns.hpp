// The stages down the columns, as statements: the outer digits, there and back.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"

namespace ffc {

/// The stage of a tensor's outer digits on the way in or, `inverse`, back.
[[nodiscard]] Statement lower_columns(const ConvConfig& config, const InBlockPlan& plan, Tensor tensor, bool inverse);

/// What comes between the tiles of samples that `samples` fetches and the first sum: gate, type, power of two.
[[nodiscard]] std::vector<Statement> lower_input(const ConvConfig& config, const InBlockPlan& plan,
                                                 const Statement& samples);

/// The out gate's rows, into the place of the in gate's, which have been used.
[[nodiscard]] Statement copy_of_out_gate(const InBlockPlan& plan);

/// Of rows of a longer transform: the part of its twiddle that samples take, in front of the sums or behind them.
[[nodiscard]] std::vector<Statement> lower_shift(const InBlockPlan& plan, Tensor tensor, bool inverse, double times);

}  // namespace ffc
