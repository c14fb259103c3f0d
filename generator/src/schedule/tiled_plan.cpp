// Factorisation and geometry of the tiled family.
#include "tiled_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "choices.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/backward_work.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "outer_digits.hpp"
#include "place_rows.hpp"
#include "shared_map.hpp"
#include "steps.hpp"
#include "threads.hpp"
#include "tiled_geometry.hpp"
#include "tiled_magnitudes.hpp"
#include "tiled_precision.hpp"
#include "tiled_shape.hpp"
#include "window_plan.hpp"

namespace ffc {
namespace {

constexpr int row = 256;

// The ends of rows come round as they are in memory: they are measured there, but nothing reports them.
Overhang overhang_of(const ConvConfig& config, const InBlockPlan& plan) {
  const bool as_they_are =
      config.scaling == Scaling::fixed && config.input_exponent == 0 && config.gradient_exponent == 0;
  const bool measured = config.scaling == Scaling::found;
  const bool fills = config.length <= plan.transform_length;
  return fills && !reports(config) && (as_they_are || measured) ? Overhang::wraps : Overhang::none;
}

// Pairs in sums of 16 down their columns alone, the later half of which are padding but for a few samples.
bool fills_half(const ConvConfig& config, const InBlockPlan& plan) {
  constexpr int line_samples = measured::widest_line / 2;
  const std::int64_t half = plan.transform_length / 2;
  return plan.packing == Packing::two_rows && plan.column_length == 0 && plan.outer_tile == 16 &&
         plan.outer_butterfly == 1 && config.length <= half && config.length + line_samples > half &&
         overhang_of(config, plan) == Overhang::wraps;
}

// Whether a block that has all rows of a channel can make taps of their sums by itself: rows alone give them back as
// they give rows, where each tap has one place.
bool may_end_in_taps(const ConvConfig& config, const InBlockPlan& plan) {
  const bool few_rows = config.batch > 0 && config.batch <= measured::most_few_rows;
  if (plan.rows() == measured::rows_in_turns && !few_rows) return false;  // blocks that share them make none
  return plan.backward.sums && plan.right_angle() && plan.column_length == 0 && !plan.windows &&
         config.padding == Padding::causal && config.filter_length <= config.length &&
         config.accumulation != Accumulation::fp32;
}

// Digits, steps and precision: all of a plan but its threads and memory.
InBlockPlan tiled_shape(const ConvConfig& config, OuterDigits outer, int column_length,
                        Packing packing = Packing::two_rows, bool fractional_rows = false) {
  InBlockPlan plan;
  plan.packing = packing;
  plan.fractional_rows = fractional_rows;
  plan.column_length = column_length;
  if (column_length > 0) plan.columns_level = Level::grid;
  plan.outer_butterfly = outer.butterfly;
  plan.outer_tile = outer.tile;
  std::vector<int> radices;
  if (outer.tile > 1) radices.push_back(outer.tile);
  if (outer.butterfly > 1) radices.insert(plan.tile_first() ? radices.end() : radices.begin(), outer.butterfly);
  radices.insert(radices.end(), {16, 16});
  plan.digits = make_digits(radices);
  plan.transform_length = static_cast<std::int64_t>(row) * plan.rows();
  const bool right_angle = packing == Packing::right_angle;
  if (right_angle)
    plan.windows = lone_windows_of(config, plan.transform_length);
  else if (column_length == 0)
    plan.windows = windows_of(config, plan.transform_length);
  if (plan.windows) {
    plan.length = right_angle ? plan.transform_length : plan.windows->step + plan.windows->gap;
    place_windows(plan, config);
  } else {
    // Half of a transform is all that pairs need of it, but for what a delay moves behind that.
    const bool half = fills_half(config, plan), alone = right_angle && column_length == 0;
    place_rows(plan, config, half ? plan.transform_length / 2 : plan.transform_length,
               half || alone ? overhang_of(config, plan) : Overhang::none);
  }
  plan.backward = backward_work(config);
  plan.backward.ends_in_taps = may_end_in_taps(config, plan);
  plan.steps = plan.is_backward() ? backward_steps(plan) : tiled_steps(plan);
  choose_precision(plan, config);
  return plan;
}

// Padded rows, whose samples are the real parts of more than half of the points.
bool are_real_rows(const ConvConfig& config, const InBlockPlan& plan) {
  if (config.history) return false;
  if (config.length > plan.transform_length || 2 * config.length <= plan.transform_length) return false;
  // What reaches back behind a padded row is told from what reaches on by the length of the filter's transform.
  return config.padding == Padding::causal || config.fft_length != plan.frequency_parts() * plan.transform_length;
}

// Rows alone of more than these round too much, or leave a warp no registers.
int most_rows_of_warp(const ConvConfig& config) {
  return config.gating == Gating::none ? measured::most_lone_warp_rows : measured::most_lone_warp_rows_gated;
}

// A warp's row. Of others more rows leave no room for their factors, and gates come with factors fused in fp32.
bool are_fractional(const ConvConfig& config, OuterDigits outer) {
  if (config.pass != Pass::forward || config.accumulation == Accumulation::fp32) return false;
  if (outer.tile == 1) return true;
  const int rows = outer.butterfly * outer.tile;
  const bool windows = lone_windows_of(config, std::int64_t{row} * rows).has_value();
  const int least = windows ? measured::least_halved_windows : measured::least_halved_rows;
  return rows >= least && rows <= 64 && config.gating == Gating::none;
}

std::optional<InBlockPlan> right_angle_shape(const ConvConfig& config, OuterDigits outer, bool fractional_rows) {
  if (!config.mask.empty()) return std::nullopt;
  // A product of 8 takes complex numbers.
  if (outer.tile == 8 || (outer.tile == 1 && outer.butterfly > most_rows_of_warp(config))) return std::nullopt;
  InBlockPlan plan = tiled_shape(config, outer, 0, Packing::right_angle, fractional_rows);
  if (!plan.windows) return are_real_rows(config, plan) ? std::optional<InBlockPlan>(plan) : std::nullopt;
  if (!plan.tile_first() || plan.is_backward()) return std::nullopt;  // gradients of windows go in pairs
  return plan;
}

// Rows that fill their transform, which halves of it would not hold: half of their frequencies are there, of the
// butterfly, or of the tile where there is none.
std::optional<InBlockPlan> real_row_shape(const ConvConfig& config, OuterDigits outer) {
  if (!config.mask.empty()) return std::nullopt;
  if (outer.tile <= 8 || (outer.butterfly == 1 ? outer.tile : outer.butterfly) % 2 != 0) return std::nullopt;
  InBlockPlan plan = tiled_shape(config, outer, 0, Packing::real_row);
  if (plan.windows || 2 * plan.length <= plan.transform_length) return std::nullopt;
  return plan;
}

bool place(InBlockPlan& plan, const ConvConfig& config, const Arch& arch, const Geometry& geometry) {
  plan.geometry = geometry;
  plan.shared = shared_map(plan, config, arch, geometry.groups * geometry.buffers);
  return fits(plan, arch);
}

// What a backward plan gives up last. False when all is gone.
bool relax_backward(Geometry& geometry) {
  if (geometry.sums == Placement::shared || geometry.sums == Placement::turns)
    geometry.sums = Placement::global;
  else if (!geometry.in_turn && geometry.warps_per_group > 1)
    geometry.in_turn = true;
  else
    return false;
  return true;
}

// One group needs the warps of two, which leaves no registers for a channel's spectrum.
void relax_to_one_group(Geometry& geometry) {
  geometry.warps_per_group *= geometry.groups;
  geometry.groups = geometry.couples_at_once = 1;
  geometry.whole_rows = true;
  geometry.spectrum = Placement::global;
}

// Gives up what costs least first: residency, tables and stage in shared memory, buffers, groups. False when all is
// gone.
bool relax(Geometry& geometry, const InBlockPlan& plan, const ConvConfig& config) {
  if (geometry.blocks_per_sm > 1)
    --geometry.blocks_per_sm;
  else if (geometry.staged_rows > 0)
    geometry.staged_rows = 0;
  else if (geometry.buffers > 1)
    --geometry.buffers;
  else if (geometry.twiddle == Placement::shared && !plan.fractional_rows)
    geometry.twiddle = Placement::global;
  else if (geometry.spectrum == Placement::shared)
    geometry.spectrum = Placement::global;
  else if (geometry.groups == 2 && fills_registers(plan))
    relax_to_one_group(geometry);
  else if (geometry.groups > 1)
    --geometry.groups;
  else if (config.pass == Pass::backward && relax_backward(geometry))
    return true;
  else if (config.gating != Gating::none && !geometry.gate_at_load)
    geometry.gate_at_load = true;
  else
    return false;
  return true;
}

// With the geometry that measured best, as far as it fits.
std::optional<InBlockPlan> placed(InBlockPlan plan, const ConvConfig& config, const Arch& arch) {
  Geometry geometry = measured_geometry(plan, config);
  while (!place(plan, config, arch, geometry))
    if (!relax(geometry, plan, config)) return std::nullopt;
  return plan;
}

}  // namespace

std::optional<InBlockPlan> tiled_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch,
                                      const Geometry& geometry, int column_length) {
  InBlockPlan plan = tiled_shape(config, outer, column_length);
  if (!place(plan, config, arch, geometry)) return std::nullopt;
  return plan;
}

std::optional<InBlockPlan> cluster_row_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch,
                                            const Geometry& geometry, int column_length, int pairs) {
  InBlockPlan plan = tiled_shape(config, outer, column_length);
  plan.columns_level = Level::cluster;
  plan.geometry = geometry;
  plan.shared = shared_map(plan, config, arch, pairs);
  if (!fits(plan, arch)) return std::nullopt;
  return plan;
}

std::optional<InBlockPlan> tiled_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch,
                                      int column_length) {
  return placed(tiled_shape(config, outer, column_length), config, arch);
}

std::optional<InBlockPlan> tiled_right_angle_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch) {
  const bool fractional = are_fractional(config, outer);
  std::optional<InBlockPlan> plan = right_angle_shape(config, outer, fractional);
  if (plan) plan = placed(*std::move(plan), config, arch);
  if (plan || !fractional) return plan;
  // A block that has no room for their factors may have it without them.
  plan = right_angle_shape(config, outer, false);
  return plan ? placed(*std::move(plan), config, arch) : std::nullopt;
}

std::optional<InBlockPlan> tiled_real_row_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch) {
  std::optional<InBlockPlan> plan = real_row_shape(config, outer);
  return plan ? placed(*std::move(plan), config, arch) : std::nullopt;
}

std::optional<InBlockPlan> tiled_right_angle_plan(const ConvConfig& config, OuterDigits outer, const Arch& arch,
                                                  const Geometry& geometry) {
  std::optional<InBlockPlan> plan = right_angle_shape(config, outer, are_fractional(config, outer));
  return plan && place(*plan, config, arch, geometry) ? plan : std::nullopt;
}

}  // namespace ffc
