// What was measured for the tiled family: the geometry that runs best.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "threads.hpp"

namespace ffc {

/// The geometry that was fastest on an H200 for a plan of this shape (MEASURED.md); it need not fit other arches.
[[nodiscard]] Geometry measured_geometry(const InBlockPlan& plan, const ConvConfig& config);

/// Measured threads as the geometry of a block, with its tables in shared memory.
[[nodiscard]] inline Geometry geometry_of(const measured::Threads& threads) {
  Geometry geometry;
  geometry.warps_per_group = threads.warps;
  geometry.groups = threads.groups;
  geometry.buffers = threads.buffers;
  geometry.blocks_per_sm = threads.blocks;
  return geometry;
}

}  // namespace ffc
