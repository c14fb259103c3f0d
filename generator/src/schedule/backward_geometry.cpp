// What was measured for gradients in one block.
#include "backward_geometry.hpp"

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "tiled_shape.hpp"

namespace ffc {

namespace {

// A warp a pair; the sums of all its rows are in its registers. A block more an SM would take registers from both.
Geometry warp_geometry(const InBlockPlan& plan, bool through_registers) {
  constexpr int blocks[9] = {0, 4, 3, 3, 2, 2, 2, 2, 2};
  Geometry geometry;
  geometry.groups = 4;
  geometry.buffers = through_registers ? 1 : 2;
  geometry.blocks_per_sm = blocks[plan.outer_butterfly];
  return geometry;
}

// Warps that hold one couple each, and its sums in registers.
Geometry couple_geometry(int warps, int blocks_per_sm, bool through_registers) {
  Geometry geometry;
  geometry.warps_per_group = warps;
  geometry.blocks_per_sm = blocks_per_sm;
  geometry.buffers = through_registers ? 1 : 2;
  geometry.whole_rows = warps > 4;
  return geometry;
}

// Several couples a warp: sums beside the rows in shared memory, other factors from the cache.
Geometry large_geometry(int warps, int blocks_per_sm) {
  Geometry geometry;
  geometry.warps_per_group = warps;
  geometry.blocks_per_sm = blocks_per_sm;
  geometry.whole_rows = true;
  geometry.twiddle = geometry.spectrum = Placement::global;
  geometry.sums = Placement::shared;
  return geometry;
}

}  // namespace

Geometry backward_geometry(const InBlockPlan& plan, const ConvConfig& config) {
  // Powers of two alone are applied by the first stage.
  const bool through_registers = has_gate_or_exponent(config);
  Geometry geometry;
  if (plan.outer_tile == 1)
    geometry = warp_geometry(plan, through_registers);
  else if (plan.rows() <= 8)
    geometry = couple_geometry(4, 3, through_registers);
  else if (plan.rows() <= 16)
    geometry = couple_geometry(8, 2, through_registers);
  else if (plan.rows() <= 32)
    geometry = large_geometry(8, 2);
  else if (plan.rows() <= 64)
    geometry = large_geometry(16, 1);
  else
    geometry = large_geometry(8, 1);  // a butterfly of 8 tiles takes more registers than 16 warps leave
  // What the gap holds is in other warps' columns.
  if (plan.outer_tile > 1 && plan.windows && plan.windows->gap > 0) geometry.whole_rows = true;
  geometry.in_turn = plan.rows() > 64 && plan.backward.tensors() > 1;
  geometry.gate_at_load = through_registers;
  return geometry;
}

}  // namespace ffc
