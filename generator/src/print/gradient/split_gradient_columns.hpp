// The columns of a split plan that makes gradients: samples of u or of dy in, gradients out.
#pragma once

#include "assemble.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Puts the blocks that load and store samples, and that tell tensors apart, in place of a convolution's.
void put_gradient_columns(Blocks& blocks, const ConvConfig& config, const FourStepPlan& plan);

}  // namespace ffc
