// Threads and places of tables of gradients in one block.
#include "backward_geometry.hpp"

#include "choices.hpp"
#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "threads.hpp"
#include "tiled_geometry.hpp"
#include "tiled_shape.hpp"

namespace ffc {

namespace {

// So few that what a block does once counts.
bool has_few_rows(const InBlockPlan& plan, const ConvConfig& config) {
  return config.batch > 0 && config.batch <= measured::most_few_rows_of_block && !plan.windows;
}

// A warp a pair, or a row, of which it reads the spectrum in the order of halved products. Few rows leave warps of a
// block without work, many have sums of their blocks to join.
Geometry warp_geometry(const InBlockPlan& plan, const ConvConfig& config, bool through_registers) {
  Geometry geometry = geometry_of(measured::gradient_warp_rows);
  if (through_registers) geometry.buffers = 1;
  const bool alone = plan.holds_row_alone();
  geometry.blocks_per_sm =
      (alone ? measured::lone_gradient_warp_blocks : measured::gradient_warp_blocks)[plan.outer_butterfly];
  if (alone)
    geometry.spectrum = plan.rows() <= measured::most_lone_gradient_spectra ? Placement::registers : Placement::global;
  if (has_few_rows(plan, config)) {
    geometry.blocks_per_sm *= geometry.groups;
    geometry.groups = 1;
  }
  return geometry;
}

// Whether 8 warps take up to 16 rows, and not 4.
bool takes_eight_warps(const InBlockPlan& plan, bool through_registers) {
  if (plan.windows) return plan.rows() > 8;
  const bool uneven = plan.loaded_rows() % measured::gradients_to_16.warps != 0;
  const bool delayed = plan.most_delay > 0 && plan.rows() == 16 && !half_columns(plan);
  return through_registers && (uneven || delayed);
}

// Up to 16 rows with columns of their own: warps that hold one couple each, or two.
Geometry couple_geometry(const InBlockPlan& plan, const ConvConfig& config, bool through_registers) {
  const bool to_9 = !through_registers && plan.rows() <= 9;
  Geometry geometry = geometry_of(to_9                                         ? measured::gradients_to_9
                                  : takes_eight_warps(plan, through_registers) ? measured::gradients_of_eight_warps
                                                                               : measured::gradients_to_16);
  if (through_registers) geometry.buffers = 1;
  geometry.whole_rows = !to_9 && plan.rows() > 8;
  if (plan.rows() <= 8 && has_few_rows(plan, config)) geometry.twiddle = geometry.spectrum = Placement::global;
  return geometry;
}

// Several couples a warp: sums beside the rows in shared memory, other factors from the cache.
Geometry large_geometry(const measured::Threads& threads) {
  Geometry geometry = geometry_of(threads);
  geometry.whole_rows = true;
  geometry.twiddle = geometry.spectrum = Placement::global;
  geometry.sums = Placement::shared;
  return geometry;
}

// Rows whose tensors take turns, so long that most of their sums are in global memory. Of few rows a block makes taps
// by itself.
bool may_add_in_turns(const InBlockPlan& plan, const ConvConfig& config) {
  return plan.backward.sums && plan.backward.tensors() > 1 && plan.rows() == measured::rows_in_turns &&
         !plan.backward.ends_in_taps && find_arch(config.arch).has_clusters();
}

// Rows alone, each of which has sums of its own: in registers of its warp where these have room, else in shared memory
// as far as they fit.
Geometry lone_geometry(const InBlockPlan& plan, const ConvConfig& config, bool through_registers) {
  const int rows = plan.frequency_rows();
  if (rows > 64) {
    const bool turns = may_add_in_turns(plan, config);
    if (through_registers && !turns) return large_geometry(measured::lone_gradients_beyond_gated);
    Geometry geometry = large_geometry(measured::gradients_beyond);
    if (turns) geometry.sums = Placement::turns;
    return geometry;
  }
  if (rows > 32) return large_geometry(measured::lone_gradients_to_64);
  if (rows > 16 && rows <= 28) {
    Geometry geometry = large_geometry(measured::lone_gradients_to_28);
    geometry.sums = Placement::global;
    return geometry;
  }
  // Real rows have twice the samples on their way.
  const bool few = plan.right_angle() && rows <= 12;
  Geometry geometry = geometry_of(few          ? measured::lone_gradients_to_12
                                  : rows <= 16 ? measured::lone_gradients_to_16
                                               : measured::lone_gradients_to_32);
  if (through_registers) geometry.buffers = 1;
  geometry.whole_rows = true;
  if (rows > 16) geometry.twiddle = geometry.spectrum = Placement::global;
  return geometry;
}

// Real rows, by those of frequencies: as rows alone that have as many, but that sums of the row that one warp has more
// are too many for registers.
Geometry real_row_geometry(const InBlockPlan& plan, const ConvConfig& config, bool through_registers) {
  const int rows = plan.frequency_rows();
  if (rows > 32 || (rows <= 16 && !through_registers)) return lone_geometry(plan, config, through_registers);
  Geometry geometry = large_geometry(measured::real_gradients_to_32);
  geometry.sums = rows <= 16 ? Placement::shared : Placement::global;
  return geometry;
}

}  // namespace

Geometry backward_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  // Powers of two alone are applied by the first stage.
  const bool through_registers = has_gate_or_exponent(config);
  Geometry geometry;
  if (plan.outer_tile == 1)
    geometry = warp_geometry(plan, config, through_registers);
  else if (plan.half_spectrum())
    geometry = real_row_geometry(plan, config, through_registers);
  else if (plan.right_angle())
    geometry = lone_geometry(plan, config, through_registers);
  else if (plan.rows() <= 16)
    geometry = couple_geometry(plan, config, through_registers);
  else if (plan.rows() <= 32)
    geometry = large_geometry(measured::gradients_to_32);
  else if (plan.rows() <= 64)
    geometry = large_geometry(measured::gradients_to_64);
  else
    geometry = large_geometry(measured::gradients_beyond);
  // What the gap holds is in other warps' columns.
  if (plan.outer_tile > 1 && plan.windows && plan.windows->gap > 0) geometry.whole_rows = true;
  geometry.in_turn = plan.frequency_rows() > 64 && plan.backward.tensors() > 1;
  geometry.gate_at_load = through_registers;
  return geometry;
}

}  // namespace ffc
