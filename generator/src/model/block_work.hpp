// Counts of a pair of rows in one block, and what those of longer rows are made of.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/work.hpp"

namespace ffc {

/// Bytes of a tile, of a wavefront of shared memory, and of the scale that each lane of a warp reads.
inline constexpr double bytes_of_tile = 1024, bytes_of_wavefront = 128, bytes_of_scale = 32 * 4;

/// The sum.
Work& operator+=(Work& sum, const Work& work);
/// So many times that.
[[nodiscard]] Work times(Work work, double count);
/// One transform of a convolution, beside the rows that are read and written.
[[nodiscard]] Work tiled_work(const InBlockPlan& plan, const ConvConfig& config);
/// Of the rows of gradients and what they are made of.
[[nodiscard]] Work backward_row_bytes(const Transform& plan, const ConvConfig& config);
/// All of a pair; of a convolution beside the rows that are read and written.
[[nodiscard]] Work block_work(const InBlockPlan& plan, const ConvConfig& config);

}  // namespace ffc
