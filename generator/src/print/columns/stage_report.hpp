// What stages down the columns meet, for the launch's report.
#pragma once

#include <string_view>

#include "ffc/generator/plan.hpp"
#include "text.hpp"

namespace ffc {

/// The address of the rows of either tensor, `tensor`, of gradients whose stages have the same text.
inline constexpr std::string_view of_either_tensor = "tensor_at";

/// The field of a tensor's samples that a stage on the rows at the address named `rows` meets.
[[nodiscard]] std::string_view stage_field(std::string_view rows, Tensor tensor);

/// What it has met, to its channel's record.
void emit_stage_report(TextWriter& out, std::string_view rows, Tensor tensor);

}  // namespace ffc
