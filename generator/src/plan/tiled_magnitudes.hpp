// What follows from a tiled plan for how large rows are: what a launch meets and reports, and how rows' powers of two
// are found and taken back.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "tiled_shape.hpp"

namespace ffc {

/// A launch reports what it meets.
[[nodiscard]] inline bool reports(const ConvConfig& config) { return config.report != Report::none; }

/// Samples are met, for a report, when they have come to registers from shared memory.
[[nodiscard]] inline bool meets_in_tiles(const ConvConfig& config, const InBlockPlan& plan) {
  return reports(config) && plan.real_filter() && !plan.geometry.gate_at_load;
}

/// What a pair meets goes to the record of its channel by itself: of gradients, and where blocks walk over channels.
[[nodiscard]] inline bool reports_each_pair(const ConvConfig& config, const InBlockPlan& plan) {
  return reports(config) && plan.real_filter() && (plan.is_backward() || plan.geometry.walks_channels);
}

/// Then by the stage that meets its samples.
[[nodiscard]] inline bool reports_in_stage(const ConvConfig& config, const InBlockPlan& plan) {
  return meets_in_tiles(config, plan) && reports_each_pair(config, plan);
}

/// Elsewhere, when all pairs of a block are done.
[[nodiscard]] inline bool reports_behind_pairs(const ConvConfig& config, const InBlockPlan& plan) {
  return reports(config) && plan.real_filter() && !reports_each_pair(config, plan);
}

/// They are met as packed fp16, gated: the kernel's own product is rounded so.
[[nodiscard]] inline bool meets_packed(const ConvConfig& config) {
  return config.dtype == DataType::fp16 && has_in_gate(config.gating) && !scales_input(config);
}

/// Rows' powers of two are found when they have come to shared memory; where gates are applied on the way, before.
[[nodiscard]] inline bool measures_in_shared(const ConvConfig& config, const InBlockPlan& plan) {
  return config.scaling == Scaling::found && plan.real_filter() && !plan.geometry.gate_at_load;
}

/// Rows of samples in shared memory that are not known to be all zeros.
[[nodiscard]] inline int measured_rows(const InBlockPlan& plan) {
  if (plan.windows) return plan.loaded_rows();
  return static_cast<int>(std::min<std::int64_t>(plan.loaded_rows(), (plan.length + 255) / 256));
}

/// A pair's powers of two are found while the pair before it is computed, between barriers that are there anyway. What
/// still has to be emptied before it is measured is measured in its own turn.
[[nodiscard]] inline bool measures_ahead(const ConvConfig& config, const InBlockPlan& plan) {
  const Geometry& geometry = plan.geometry;
  return measures_in_shared(config, plan) && !plan.is_backward() && has_columns(plan) && geometry.buffers > 1 &&
         geometry.warps_per_group > 1 && geometry.staged_rows == 0 && geometry.spectrum != Placement::staged &&
         config.gating == Gating::none && !plan.windows && plan.most_delay == 0;
}

/// Pairs whose powers of two are found are added up in a common one, to which u's rows are scaled, where nothing but
/// sums is made of those.
[[nodiscard]] inline bool has_sums_unit(const ConvConfig& config, const InBlockPlan& plan) {
  return measures_in_shared(config, plan) && sums_in_registers(plan) && !plan.backward.inverts_input &&
         !plan.geometry.in_turn;
}

/// Elsewhere each product is scaled.
[[nodiscard]] inline bool scales_products(const ConvConfig& config, const InBlockPlan& plan) {
  return config.scaling == Scaling::found && plan.backward.sums && !has_sums_unit(config, plan);
}

}  // namespace ffc
