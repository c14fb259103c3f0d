// The access map of windows: which window a plane is of, and which chunks of it there are.
#pragma once

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "row_access.hpp"
#include "row_source.hpp"

namespace ffc {

/// Says where the windows of a tensor's rows lie, and how many samples of a chunk exist; of delayed rows, that they are
/// counted from the line that a row begins behind.
void say_windows(RowAccess& access, const ConvConfig& config, const InBlockPlan& plan, Tensor tensor);

}  // namespace ffc
