// The measured threads with the places of tables that go with them.
#include "tiled_geometry.hpp"

#include "backward_geometry.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "threads.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

bool gated(const ConvConfig& config) { return config.gating != Gating::none; }

// Gated, of which whole rows have registers for factors, and others gain nothing by it.
void place_gated_factors(Geometry& geometry, const InBlockPlan& plan) {
  const bool whole = !plan.windows && plan.live_butterflies() == plan.outer_butterfly;
  if (plan.rows() == 1 || (whole && plan.rows() <= 4)) geometry.spectrum = Placement::registers;
  if (whole && plan.rows() > 1 && plan.rows() <= 4)
    geometry.twiddle = plan.rows() == 2 ? Placement::global : Placement::registers;
}

// A warp a pair.
Geometry warp_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  Geometry geometry = geometry_of(measured::warp_rows);
  geometry.blocks_per_sm = measured::warp_blocks[plan.outer_butterfly];
  if (gated(config)) {
    geometry.buffers = 1;
    place_gated_factors(geometry, plan);
  } else {
    geometry.twiddle = geometry.spectrum = Placement::registers;
  }
  return geometry;
}

// Eight rows: 2 warps a pair.
Geometry smallest_column_geometry(const ConvConfig& config) {
  Geometry geometry = geometry_of(measured::smallest_columns);
  if (gated(config)) geometry.buffers = 1;
  geometry.twiddle = geometry.spectrum = gated(config) ? Placement::global : Placement::registers;
  return geometry;
}

// Up to 16 rows, gated.
Geometry small_gated_geometry(const InBlockPlan& plan) {
  if (plan.windows) return geometry_of(measured::small_windows_gated);
  if (plan.rows() > measured::most_few_columns) return geometry_of(measured::small_columns_gated);
  Geometry geometry = geometry_of(measured::few_columns_gated);
  geometry.twiddle = geometry.spectrum = Placement::global;
  return geometry;
}

// Up to 16 rows: 4 warps a pair, or 2, which have registers for all factors, or one, which has none for them.
Geometry small_column_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  if (gated(config)) return small_gated_geometry(plan);
  const bool few = plan.rows() <= measured::most_few_columns, one_warp = few && half_columns(plan) && !plan.windows;
  Geometry geometry = geometry_of(one_warp ? measured::few_half_columns
                                  : few    ? measured::few_columns
                                           : measured::small_columns);
  geometry.twiddle = geometry.spectrum = one_warp ? Placement::global : Placement::registers;
  return geometry;
}

// Up to 32 rows: two blocks an SM, or three where 4 warps share the couples out better.
Geometry middle_column_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  const bool few = plan.couples() <= measured::most_few_couples;
  Geometry geometry = geometry_of(few ? measured::few_couples : measured::middle_columns);
  geometry.whole_rows = true;
  if (gated(config) || (!few && half_columns(plan))) geometry.buffers = 1;
  if (gated(config)) return geometry;
  if (!few && half_columns(plan)) {
    geometry.staged_rows = 2;
  } else if (plan.fused_factors == 0) {
    geometry.spectrum = Placement::registers;
    if (few) geometry.twiddle = Placement::registers;
  }
  return geometry;
}

// Up to 64 rows.
Geometry large_column_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  const bool half = !gated(config) && half_columns(plan);
  Geometry geometry = geometry_of(gated(config) ? measured::large_columns_gated
                                  : half        ? measured::large_half_columns
                                                : measured::large_columns);
  geometry.whole_rows = true;
  if (half) {
    geometry.staged_rows = 2;
    geometry.twiddle = geometry.spectrum = Placement::global;
  }
  return geometry;
}

// Beyond.
Geometry largest_column_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  Geometry geometry = geometry_of(measured::largest_columns);
  geometry.whole_rows = true;
  geometry.twiddle = Placement::global;
  geometry.spectrum = Placement::global;
  geometry.gate_at_load = gated(config);
  if (gated(config)) return geometry;
  if (half_columns(plan))
    geometry.staged_rows = 2;
  else
    geometry.spectrum = Placement::shared;
  return geometry;
}

int rows_of_warp(const InBlockPlan& plan, const Geometry& geometry) {
  return (plan.rows() + geometry.warps_per_group - 1) / geometry.warps_per_group;
}

// 17 to 32 rows. Registers hold a channel's spectrum of the longest rows, which gain from it, and of windows, which
// have all of their samples.
Geometry middle_right_angle_geometry(const InBlockPlan& plan) {
  Geometry geometry = geometry_of(measured::middle_alone);
  geometry.walks_channels = true;
  geometry.spectrum = Placement::global;
  if (!plan.fractional_rows || (!plan.windows && plan.rows() < 32)) return geometry;
  const int rows = rows_of_warp(plan, geometry);
  geometry.spectrum = Placement::registers;
  geometry.groups = plan.windows && rows > measured::most_rows_of_four_groups
                        ? measured::kept_spectrum_groups_of_long_windows
                        : measured::kept_spectrum_groups;
  geometry.couples_at_once = plan.windows && rows % 2 == 0 ? 2 : 1;
  return geometry;
}

// 33 to 64 rows whose products are of 8.
Geometry large_fractional_geometry(const ConvConfig& config) {
  Geometry geometry = geometry_of(measured::large_fractional);
  if (gated(config)) geometry.groups = 1;
  geometry.column_factors = Placement::global;
  geometry.spectrum = Placement::registers;
  geometry.couples_at_once = 2;
  return geometry;
}

// 33 to 64 rows.
Geometry large_right_angle_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  Geometry geometry = geometry_of(gated(config) ? measured::large_alone_gated : measured::large_alone);
  geometry.whole_rows = true;
  if (plan.fractional_rows) geometry.column_factors = Placement::global;
  return geometry;
}

// Beyond.
Geometry largest_right_angle_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  Geometry geometry = geometry_of(measured::largest_alone);
  geometry.whole_rows = true;
  geometry.twiddle = Placement::global;
  geometry.gate_at_load = gated(config);
  if (plan.rows() <= measured::most_rows_of_two_blocks && plan.slots() == plan.rows()) {
    geometry.blocks_per_sm = 2;
    return geometry;
  }
  if (right_angle_rows(plan) && !gated(config)) geometry.staged_rows = 1;
  return geometry;
}

// 17 to 32 rows, gated.
Geometry middle_gated_geometry() {
  Geometry geometry = geometry_of(measured::middle_alone_gated);
  geometry.whole_rows = true;
  return geometry;
}

// Up to 16 rows: 4 warps a row or window, or 2 a row. 16 rows, of which a batch makes more of what is copied once, have
// their factors in shared memory.
Geometry small_right_angle_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  if (plan.windows) return geometry_of(gated(config) ? measured::small_windows_gated : measured::small_alone);
  if (gated(config)) return geometry_of(measured::small_alone_gated);
  if (plan.fractional_rows) return geometry_of(measured::small_halved);
  constexpr int warps = measured::small_alone.warps;
  const int idle = (warps - plan.rows() % warps) % warps;
  Geometry geometry =
      geometry_of(idle >= measured::fewest_idle_of_few_alone ? measured::few_alone : measured::small_alone);
  if (plan.rows() < 16) geometry.twiddle = Placement::global;
  return geometry;
}

// A warp a row. Where products are halved its other factors are in shared memory.
Geometry lone_warp_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  Geometry geometry = geometry_of(gated(config) ? measured::lone_warp_rows_gated : measured::lone_warp_rows);
  const int* const blocks = gated(config)         ? measured::lone_warp_blocks_gated
                            : plan.most_delay > 0 ? measured::lone_warp_blocks_delayed
                                                  : measured::lone_warp_blocks;
  geometry.blocks_per_sm = blocks[plan.outer_butterfly];
  geometry.twiddle = plan.fractional_rows ? Placement::shared : Placement::global;
  geometry.spectrum = Placement::registers;
  return geometry;
}

// At frequencies k + 1/4 no row shares its factors: those of as many rows as a warp has registers for are there, and
// others in shared or in global memory.
Geometry right_angle_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  const int rows = plan.rows();
  if (plan.holds_row_alone()) return lone_warp_geometry(plan, config);
  if (rows > 16 && rows <= 32 && !gated(config)) return middle_right_angle_geometry(plan);
  if (rows > 32 && rows <= 64 && rows % 8 == 0 && plan.fractional_rows) return large_fractional_geometry(config);
  Geometry geometry = rows <= 16   ? small_right_angle_geometry(plan, config)
                      : rows <= 32 ? middle_gated_geometry()
                      : rows <= 64 ? large_right_angle_geometry(plan, config)
                                   : largest_right_angle_geometry(plan, config);
  // Where gates are the factors fused in fp32 leave no registers for more than a small row's.
  const bool room = rows_of_warp(plan, geometry) <= measured::most_rows_in_registers && !gated(config);
  geometry.spectrum = rows <= 16 || room ? Placement::registers : Placement::global;
  return geometry;
}

// Rows of samples that become half as many of frequencies: factors are those of a pair's, so that there are twice as
// many of them for a row.
Geometry real_row_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  const int rows = plan.frequency_rows();
  Geometry geometry;
  if (rows <= 8) {
    geometry = geometry_of(gated(config) ? measured::smallest_real_gated : measured::smallest_real);
    geometry.twiddle = geometry.column_factors = Placement::global;
    geometry.spectrum = Placement::registers;
  } else if (rows <= 16) {
    geometry = geometry_of(gated(config) ? measured::small_real_gated : measured::small_real);
    if (!gated(config)) geometry.twiddle = geometry.spectrum = Placement::registers, geometry.items_at_once = 2;
  } else if (rows <= 32) {
    // Where a channel is known to have fewer rows than a block has groups, as many blocks take one each.
    const bool few = config.batch > 0 && config.batch < measured::middle_real.groups;
    geometry = geometry_of(gated(config) ? measured::middle_real_gated
                           : few         ? measured::middle_real_of_few
                                         : measured::middle_real);
    if (gated(config) || few) geometry.spectrum = Placement::global;
    if (!gated(config) && few) geometry.twiddle = Placement::global;
  } else {
    geometry = geometry_of(measured::large_real);
    geometry.twiddle = geometry.spectrum = Placement::global;
    geometry.gate_at_load = gated(config);
  }
  geometry.whole_rows = rows > 16;
  return geometry;
}

// Convolutions of long rows, of which a multiprocessor holds one or two blocks: a last wave of them would leave most of
// the device idle. What a block has of one channel is in no shared memory then, and in registers where rows are alone.
bool walks_channels(const InBlockPlan& plan, const Geometry& geometry) {
  const bool reads = geometry.spectrum == Placement::global && geometry.twiddle != Placement::registers;
  const bool keeps = geometry.spectrum == Placement::registers && plan.right_angle();
  return !plan.windows && plan.rows() >= measured::least_rows_of_walks &&
         geometry.blocks_per_sm <= measured::most_blocks_of_walks && (reads || keeps);
}

// One pair after the other, of a block's own channel.
Geometry convolution_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  if (plan.right_angle()) return right_angle_geometry(plan, config);
  if (plan.half_spectrum()) return real_row_geometry(plan, config);
  if (plan.outer_tile == 1) return warp_geometry(plan, config);
  if (plan.rows() <= 8) return smallest_column_geometry(config);
  if (plan.rows() <= 16) return small_column_geometry(plan, config);
  if (plan.rows() <= 32) return middle_column_geometry(plan, config);
  if (plan.rows() <= 64) return large_column_geometry(plan, config);
  return largest_column_geometry(plan, config);
}

// Rows of a split plan.
Geometry workspace_geometry(const InBlockPlan& plan) {
  const int rows = plan.rows();
  Geometry geometry;
  if (plan.outer_tile == 1) {
    geometry = geometry_of(measured::workspace_warp_rows);
    if (rows <= measured::most_rows_of_two_buffers) geometry.buffers = 2;
  } else {
    geometry = geometry_of(rows <= 8    ? measured::workspace_to_8
                           : rows <= 16 ? measured::workspace_to_16
                           : rows <= 32 ? measured::workspace_to_32
                                        : measured::workspace_beyond);
    geometry.whole_rows = rows > 16;
    if (rows > 64) geometry.twiddle = Placement::global;
  }
  geometry.spectrum = Placement::global;  // groups of a block are at different channels
  return geometry;
}

}  // namespace

Geometry measured_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  if (!plan.real_filter()) return workspace_geometry(plan);
  if (plan.is_backward()) return backward_geometry(plan, config);
  Geometry geometry = convolution_geometry(plan, config);
  if (walks_channels(plan, geometry)) geometry.walks_channels = true;
  return geometry;
}

}  // namespace ffc
