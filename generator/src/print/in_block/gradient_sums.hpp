// The sums over the batch of a backward kernel (tiled family).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "statement.hpp"
#include "text.hpp"

namespace ffc {

/// Declares or zeroes the sums that a warp keeps for all pairs.
void emit_sums_setup(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan);
/// Of couple `first + b`, in front of its two chains: the sums that are not kept in registers.
void emit_couple_sums(TextWriter& out, const InBlockPlan& plan);
/// Adds conj(Z) G of side `side` of couple `first + b`, tiles `z` and `g`, times what `scale` names.
void emit_add_product(TextWriter& out, const InBlockPlan& plan, std::string_view z, std::string_view g,
                      std::string_view scale);
/// The name of what the products of an accumulation are multiplied by, or nothing.
[[nodiscard]] std::string_view sums_scale(const Statement& accumulation);
/// Behind the two chains: back to memory what is not kept in registers; `guard` says which couples exist, or nothing.
void emit_store_couple_sums(TextWriter& out, const InBlockPlan& plan, std::string_view guard);
/// A row's sums behind all pairs, as expressions: which of its warp's they are, the row, and the sums.
struct OwnSums {
  std::string_view index, row, sums;
};
/// What `body` prints, in a loop over the sums that a warp has.
void each_own_sums(TextWriter& out, const InBlockPlan& plan, const std::function<void(const OwnSums&)>& body);

/// Behind all pairs: the block's sums, to where the filter's gradient is made from them; ahead of that `taps`, what a
/// block does with them that makes taps itself. A report says whether they are finite.
[[nodiscard]] std::string backward_sums(const ConvConfig& config, const InBlockPlan& plan, std::string_view taps);

}  // namespace ffc
