// What a tiled kernel says differently where its pairs are of windows and not of rows.
#pragma once

#include <string>
#include <string_view>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// The length of the rows and the shape of their windows.
[[nodiscard]] std::string window_constants(const ConvConfig& config, const InBlockPlan& plan);

/// Leaves out the templates of windows where there are none, and of windows what these do not need.
void leave_out_windows(Substitutes& substitutes, const InBlockPlan& plan);

/// Lines that make samples of the pair at `rows_at`, and of its in gate, zeros which the filter does not reach. Those
/// who copied them do it, between their wait and the barrier.
void emit_cut_at_reach(TextWriter& out, const ConvConfig& config, const InBlockPlan& plan);

}  // namespace ffc
