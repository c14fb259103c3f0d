// Measured threads as the geometry of a block.
#pragma once

#include "ffc/generator/plan.hpp"
#include "threads.hpp"

namespace ffc {

/// With its tables in shared memory.
[[nodiscard]] inline Geometry geometry_of(const measured::Threads& threads) {
  Geometry geometry;
  geometry.warps_per_group = threads.warps;
  geometry.groups = threads.groups;
  geometry.buffers = threads.buffers;
  geometry.blocks_per_sm = threads.blocks;
  return geometry;
}

}  // namespace ffc
