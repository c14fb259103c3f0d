// Tables of measurements on an H200. Every number here was timed or compared with float64; none is derived.
#include "tiled_geometry.hpp"

#include <cmath>

#include "tiled_tables.hpp"

namespace ffc {
namespace {

constexpr int most_fused = 4;
constexpr double wanted_error = 9.75e-4;  // of 1.0e-3: leaves what other data adds

// Squared relative errors in units of 1e-8, fp16 accumulation, nothing fused.
constexpr double warp_error[9] = {0, 52, 73, 88, 85, 100, 115, 107, 107};        // by butterfly, no column stage
constexpr double column_error[9] = {0, 81.5, 95, 106, 106, 116, 122, 122, 122};  // by butterfly, with one
constexpr double radix8_saves = 5;                                       // its products round once instead of twice ...
constexpr double radix8_twiddle[9] = {0, 0, 13, 8, 12, 12, 12, 12, 12};  // ... but its twiddles are separate
constexpr double fused_saves[most_fused + 1] = {0, 10, 20, 28, 34};
constexpr double gate_adds = 4;

bool gated(const ConvConfig& config) { return config.gating != Gating::none; }

// A warp a pair. More buffers and blocks than registers allow would spill.
Geometry warp_geometry(const Plan& plan, const ConvConfig& config) {
  constexpr int blocks[9] = {0, 6, 5, 4, 3, 2, 2, 2, 2};
  Geometry geometry;
  geometry.groups = 4;
  geometry.buffers = gated(config) ? 1 : 2;
  geometry.blocks_per_sm = blocks[plan.outer_butterfly];
  if (plan.rows() == 1) geometry.spectrum = Placement::registers;
  return geometry;
}

// Up to 16 rows: 4 warps a pair, tables in shared memory.
Geometry small_column_geometry(const ConvConfig& config) {
  Geometry geometry;
  geometry.warps_per_group = 4;
  geometry.groups = 2;
  geometry.buffers = gated(config) ? 1 : 2;
  geometry.blocks_per_sm = 2;
  return geometry;
}

// Up to 32 rows: 8 warps a pair, two blocks an SM.
Geometry middle_column_geometry(const Plan& plan, const ConvConfig& config) {
  Geometry geometry;
  geometry.warps_per_group = 8;
  geometry.blocks_per_sm = 2;
  geometry.whole_rows = plan.length == plan.transform_length || gated(config);
  geometry.buffers = gated(config) ? 1 : 2;
  // A fused factor takes the registers that the spectrum would have had.
  const bool tight = plan.fused_factors > 0 || gated(config);
  geometry.spectrum = tight ? Placement::shared : Placement::registers;
  geometry.twiddle = tight ? Placement::global : Placement::shared;
  return geometry;
}

// Up to 64 rows: 128 KB of rows an SM, as two groups or as two blocks with the next pair on its way.
Geometry large_column_geometry(const Plan& plan, const ConvConfig& config) {
  Geometry geometry;
  geometry.warps_per_group = 8;
  geometry.whole_rows = true;
  geometry.twiddle = Placement::global;
  if (gated(config)) {
    const bool half = half_columns(plan);
    geometry.warps_per_group = 16;
    geometry.twiddle = half ? Placement::global : Placement::shared;
    geometry.spectrum = half ? Placement::shared : Placement::global;
  } else if (half_columns(plan)) {
    geometry.blocks_per_sm = 2;
    geometry.staged_rows = 2;
    geometry.spectrum = Placement::global;
  } else {
    geometry.groups = 2;
  }
  return geometry;
}

// Beyond: one pair fills the SM; several rows in flight hide the trip of their tables from L2.
Geometry largest_column_geometry(const Plan& plan, const ConvConfig& config) {
  Geometry geometry;
  geometry.warps_per_group = 8;
  geometry.whole_rows = true;
  geometry.twiddle = geometry.spectrum = Placement::global;
  const int rows_per_warp = (plan.rows() + geometry.warps_per_group - 1) / geometry.warps_per_group;
  geometry.rows_at_once = rows_per_warp % 4 == 0 ? 4 : rows_per_warp % 3 == 0 ? 3 : rows_per_warp % 2 == 0 ? 2 : 1;
  geometry.gate_at_load = gated(config);
  if (!geometry.gate_at_load && half_columns(plan)) geometry.staged_rows = 2;
  return geometry;
}

}  // namespace

Geometry measured_geometry(const Plan& plan, const ConvConfig& config) {
  if (plan.outer_tile == 1) return warp_geometry(plan, config);
  if (plan.rows() <= 16) return small_column_geometry(config);
  if (plan.rows() <= 32) return middle_column_geometry(plan, config);
  if (plan.rows() <= 64) return large_column_geometry(plan, config);
  return largest_column_geometry(plan, config);
}

double expected_error(const Plan& plan, const ConvConfig& config) {
  double square = plan.outer_tile == 1 ? warp_error[plan.outer_butterfly] : column_error[plan.outer_butterfly];
  if (plan.outer_tile == 8) square += radix8_twiddle[plan.outer_butterfly] - radix8_saves;
  square -= fused_saves[plan.fused_factors];
  if (has_in_gate(config.gating)) square += gate_adds;
  if (has_out_gate(config.gating)) square += gate_adds;
  return std::sqrt(square) * 1e-4;
}

void choose_precision(Plan& plan, const ConvConfig& config) {
  plan.accumulation = config.accumulation == Accumulation::fp32 ? Accumulation::fp32 : Accumulation::fp16;
  plan.fused_factors = plan.accumulation == Accumulation::fp32 ? most_fused : 0;
  if (config.accumulation != Accumulation::automatic) return;
  while (plan.fused_factors < most_fused && expected_error(plan, config) > wanted_error) ++plan.fused_factors;
}

}  // namespace ffc
