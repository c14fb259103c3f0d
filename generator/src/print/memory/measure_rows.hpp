// Text of how a kernel finds how large its rows are, with Scaling::found.
#pragma once

#include <string>
#include <string_view>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_access.hpp"
#include "text.hpp"

namespace ffc {

/// Rows of a pair that have come to shared memory, up to the barrier behind which all warps of the group know how large
/// they are, as `found_scales` says.
void emit_find_largest(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan);

/// The same as a lambda, measure_pair, for the pair that has come to a buffer. What it finds holds from the next
/// barrier on.
void emit_measure_pair(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan);

/// Adds what comes round of a tensor's rows to what the thread has measured of them.
void emit_measure_end(TextWriter& out, const InBlockPlan& plan, const RowAccess& access);

/// A warp's largest to its word among those that the expression counts in groups' words.
void emit_share_largest(TextWriter& out, const InBlockPlan& plan, std::string_view words = "group");
/// The same, and the barrier at which the group's warps meet.
void emit_group_largest(TextWriter& out, const InBlockPlan& plan, std::string_view words = "group");

/// What all warps have shared, once they have met, and the powers of two of that.
[[nodiscard]] std::string_view shared_largest(const InBlockPlan& plan);
[[nodiscard]] std::string found_scales(const InBlockPlan& plan);

}  // namespace ffc
