// Pieces of the text of a split plan's columns that convolutions and gradients have in common.
#pragma once

#include <string>
#include <string_view>

#include "chunk_access.hpp"
#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// Emits `first_sample`, of a thread's first chunk. The others are copied_rows apart: all that they need is a constant
/// away from it.
void emit_first_sample(TextWriter& out, const FourStepPlan& plan);

/// Where a thread's chunk of samples or results lies in the tile, in the loop below.
[[nodiscard]] std::string tile_chunk(const ChunkAccess& chunks);

/// Opens the loop over a thread's chunks of the first `rows` rows of samples: `row`, and `sample` from the first one
/// on. `pace` says how many at once.
void open_copy_loop(TextWriter& out, const FourStepPlan& plan, int rows, std::string_view pace);

}  // namespace ffc
