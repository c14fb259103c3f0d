// Tables of measurements on an H200. Every number here was timed or compared with float64; none is derived.
#include "tiled_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "backward_geometry.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "tiled_shape.hpp"

namespace ffc {
namespace {

constexpr int most_fused = 4;
// Of 1.0e-3: what is left covers what other data adds, which grows with the length.
constexpr double wanted_error = 9.75e-4;
constexpr double wanted_error_of_longest = 9.4e-4;
constexpr double wanted_error_of_fractional = 9.9e-4;  // their errors are known to 1%

// Squared relative errors in units of 1e-8, fp16 accumulation, nothing fused.
constexpr double warp_error[9] = {0, 52, 73, 88, 85, 100, 115, 107, 107};        // by butterfly, no column stage
constexpr double column_error[9] = {0, 81.5, 95, 106, 106, 116, 122, 122, 122};  // by butterfly, with one
constexpr double radix8_saves = 5;  // its products round once instead of twice ...
constexpr double radix8_twiddle[9] = {0, 0, 13, 11, 12, 12, 12, 12, 12};  // ... but its twiddles are separate
constexpr double fused_saves[most_fused + 1] = {0, 10, 20, 28, 34};
constexpr double wide_saves[9] = {0, 0, 6, 9, 12, 13, 14, 16, 19};  // by butterfly: fp32 from product to butterfly
// By butterfly: two factors of five, but products' halves round too, unless they are summed in accumulators or in fp32.
constexpr double fractional_saves[9] = {0, 0, 2, -6, -2, 4, 4, 4, 4};
constexpr double accumulated_saves = 11, wide_rows_save = 15;
constexpr double gate_adds = 4, gate_adds_at_right_angle = 5;

bool gated(const ConvConfig& config) { return config.gating != Gating::none; }

// A warp a pair. More buffers and blocks than registers allow would spill.
Geometry warp_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  constexpr int blocks[9] = {0, 6, 5, 4, 3, 2, 2, 2, 2};
  Geometry geometry;
  geometry.groups = 4;
  geometry.buffers = gated(config) ? 1 : 2;
  geometry.blocks_per_sm = blocks[plan.outer_butterfly];
  if (!gated(config)) geometry.twiddle = Placement::registers;
  if (plan.rows() == 1 || (!gated(config) && plan.rows() > 2)) geometry.spectrum = Placement::registers;
  return geometry;
}

// Eight rows: 2 warps a pair.
Geometry smallest_column_geometry(const ConvConfig& config) {
  Geometry geometry;
  geometry.warps_per_group = 2;
  geometry.groups = 2;
  geometry.buffers = gated(config) ? 1 : 2;
  geometry.blocks_per_sm = 4;
  if (!gated(config)) geometry.twiddle = geometry.spectrum = Placement::registers;
  return geometry;
}

// Up to 16 rows: 4 warps a pair.
Geometry small_column_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  Geometry geometry;
  geometry.warps_per_group = 4;
  if (gated(config)) {
    geometry.groups = geometry.blocks_per_sm = 2;
    return geometry;
  }
  geometry.buffers = 2;
  geometry.blocks_per_sm = 4;
  geometry.twiddle = Placement::registers;
  if (!half_columns(plan)) geometry.spectrum = Placement::registers;
  return geometry;
}

// Up to 32 rows: 8 warps a pair, two blocks an SM, the next pair on its way. 12 couples are shared out better by 4
// warps.
Geometry middle_column_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  Geometry geometry;
  if (plan.couples() <= 12) {
    geometry.warps_per_group = 4;
    geometry.blocks_per_sm = 3;
    geometry.whole_rows = true;
    geometry.buffers = gated(config) ? 1 : 2;
    if (!gated(config) && plan.fused_factors == 0) geometry.twiddle = geometry.spectrum = Placement::registers;
    return geometry;
  }
  geometry.warps_per_group = 8;
  geometry.blocks_per_sm = 2;
  geometry.whole_rows = true;
  if (gated(config)) return geometry;
  if (half_columns(plan)) {
    geometry.staged_rows = 2;
  } else {
    geometry.buffers = 2;
    if (plan.fused_factors == 0) geometry.spectrum = Placement::registers;
  }
  return geometry;
}

// Up to 64 rows: 128 KB of rows an SM, as two groups or as two blocks with the next pair on its way.
Geometry large_column_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  Geometry geometry;
  geometry.warps_per_group = 8;
  geometry.whole_rows = true;
  if (gated(config)) {
    geometry.warps_per_group = 16;
  } else if (half_columns(plan)) {
    geometry.blocks_per_sm = 2;
    geometry.staged_rows = 2;
    geometry.twiddle = geometry.spectrum = Placement::global;
  } else {
    geometry.groups = 2;
  }
  return geometry;
}

// Beyond: one pair fills the SM.
Geometry largest_column_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  Geometry geometry;
  geometry.warps_per_group = 8;
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

// 17 to 32 rows: more warps hide more than the next row on its way does. Fewer have registers for a channel's spectrum,
// which the longest rows gain from, and windows, which have all of their samples.
Geometry middle_right_angle_geometry(const InBlockPlan& plan) {
  Geometry geometry;
  geometry.warps_per_group = 4;
  geometry.groups = 5;
  geometry.walks_channels = true;
  geometry.spectrum = Placement::global;
  if (!plan.fractional_rows || (!plan.windows && plan.rows() < 32)) return geometry;
  const int rows = rows_of_warp(plan, geometry);
  geometry.spectrum = Placement::registers;
  geometry.groups = plan.windows && rows > 5 ? 3 : 4;
  geometry.couples_at_once = plan.windows && rows % 2 == 0 ? 2 : 1;
  return geometry;
}

// 33 to 64 rows, two groups an SM. With half of the warps registers hold a channel's spectrum, and two rows at once.
Geometry large_fractional_geometry(Geometry geometry) {
  geometry.warps_per_group = 4;
  geometry.whole_rows = false;
  geometry.spectrum = Placement::registers;
  geometry.couples_at_once = 2;
  return geometry;
}

// At frequencies k + 1/4 no row shares its factors: those of as many rows as a warp has registers for are there, and
// others in shared or in global memory.
Geometry right_angle_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  constexpr int most_in_registers = 4;  // rows of a warp
  Geometry geometry;
  geometry.warps_per_group = plan.rows() <= 16 ? 4 : 8;
  geometry.whole_rows = plan.rows() > 16;
  if (plan.rows() <= 16) {
    geometry.blocks_per_sm = gated(config) ? 2 : 4;
    geometry.groups = gated(config) ? 2 : 1;
    geometry.buffers = gated(config) ? 1 : 2;
  } else if (plan.rows() <= 32 && gated(config)) {
    geometry.blocks_per_sm = 2;
  } else if (plan.rows() <= 32) {
    return middle_right_angle_geometry(plan);
  } else if (plan.rows() <= 64) {
    if (gated(config))
      geometry.warps_per_group = 16;
    else
      geometry.groups = 2;
    if (plan.fractional_rows) geometry.column_factors = Placement::global;
    if (plan.fractional_rows && plan.rows() % 8 == 0) return large_fractional_geometry(geometry);
  } else {
    geometry.twiddle = Placement::global;
    geometry.gate_at_load = gated(config);
    if (right_angle_rows(plan) && !gated(config)) geometry.staged_rows = 1;
  }
  // Where gates are the factors fused in fp32 leave no registers for more than a small row's.
  const bool room = rows_of_warp(plan, geometry) <= most_in_registers && (!gated(config) || plan.rows() <= 16);
  geometry.spectrum = room ? Placement::registers : Placement::global;
  return geometry;
}

// Rows of a split plan: 8 warps of a block, beside those of the columns.
Geometry workspace_geometry(const InBlockPlan& plan) {
  Geometry geometry;
  geometry.spectrum = Placement::global;  // groups of a block are at different channels
  if (plan.outer_tile == 1) {
    geometry.groups = 8;
    geometry.buffers = plan.rows() <= 4 ? 2 : 1;
  } else if (plan.rows() <= 8) {
    geometry.warps_per_group = 2;
    geometry.groups = 4;
    geometry.buffers = 2;
  } else if (plan.rows() <= 16) {
    geometry.warps_per_group = 4;
    geometry.groups = geometry.buffers = 2;
  } else {
    geometry.warps_per_group = 8;
    geometry.whole_rows = true;
    if (plan.rows() <= 32) geometry.buffers = 2;
    if (plan.rows() > 64) geometry.twiddle = Placement::global;
  }
  return geometry;
}

}  // namespace

Geometry measured_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  if (!plan.real_filter()) return workspace_geometry(plan);
  if (plan.is_backward()) return backward_geometry(plan, config);
  if (plan.right_angle()) return right_angle_geometry(plan, config);
  if (plan.outer_tile == 1) return warp_geometry(plan, config);
  if (plan.rows() <= 8) return smallest_column_geometry(config);
  if (plan.rows() <= 16) return small_column_geometry(plan, config);
  if (plan.rows() <= 32) return middle_column_geometry(plan, config);
  if (plan.rows() <= 64) return large_column_geometry(plan, config);
  return largest_column_geometry(plan, config);
}

double expected_error(const InBlockPlan& plan, const ConvConfig& config) {
  double square = plan.outer_tile == 1 ? warp_error[plan.outer_butterfly] : column_error[plan.outer_butterfly];
  if (plan.outer_tile == 8) square += radix8_twiddle[plan.outer_butterfly] - radix8_saves;
  square -= plan.fractional_rows ? fractional_saves[plan.outer_butterfly] : fused_saves[plan.fused_factors];
  if (plan.row_sums != RowSums::rounded) square -= plan.row_sums == RowSums::wide ? wide_rows_save : accumulated_saves;
  if (plan.wide_columns) square -= wide_saves[plan.outer_butterfly];
  const double of_gate = plan.right_angle() ? gate_adds_at_right_angle : gate_adds;
  if (has_in_gate(config.gating)) square += of_gate;
  if (has_out_gate(config.gating)) square += of_gate;
  return std::sqrt(square) * 1e-4;
}

void choose_precision(InBlockPlan& plan, const ConvConfig& config) {
  plan.accumulation = config.accumulation == Accumulation::fp32 ? Accumulation::fp32 : Accumulation::fp16;
  plan.fused_factors = plan.accumulation == Accumulation::fp32 ? most_fused : 0;
  // In the longest plans, which have the registers, it saves more for its time than a fused factor does. Past one block
  // rows are complex, and 1.5e-3 is promised, which they leave room for.
  const bool longest = plan.tile_first() && plan.rows() > 64;
  plan.wide_columns = longest && plan.real_filter() && config.accumulation != Accumulation::fp16;
  if (plan.is_backward()) {
    // 1.5e-3 is promised, which these rows leave room for; the factor behind the spectrum's place is never fused.
    plan.wide_columns = false;
    plan.fused_factors = std::min(plan.fused_factors, 2);
    return;
  }
  if (config.accumulation != Accumulation::automatic) return;
  if (!plan.real_filter()) return;
  if (plan.fractional_rows) {
    for (const RowSums sums : {RowSums::accumulated, RowSums::wide})
      if (expected_error(plan, config) > wanted_error_of_fractional) plan.row_sums = sums;
    return;
  }
  const double wanted = longest ? wanted_error_of_longest : wanted_error;
  while (plan.fused_factors < most_fused && expected_error(plan, config) > wanted) ++plan.fused_factors;
}

}  // namespace ffc
