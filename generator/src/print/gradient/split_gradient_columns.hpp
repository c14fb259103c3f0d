// The columns of a split plan that makes gradients: samples of u or of dy in, gradients out.
#pragma once

#include <string>

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Puts the blocks that load and store samples, and that tell tensors apart, in place of a convolution's.
void put_gradient_columns(Blocks& blocks, const ConvConfig& config, const FourStepPlan& plan);

/// Declares what a tile's samples are multiplied by where they are made packed there (scale_of_tile()).
[[nodiscard]] std::string tile_scales_of_gradients(const ConvConfig& config, const FourStepPlan& plan);

}  // namespace ffc
