// Text that the kernels of filters' gradients have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// "filter_grad_n4096_8x8x8x4_taps4096_sm90a".
[[nodiscard]] std::string filter_gradient_name(const std::vector<int>& radices, const SpectrumLayout& layout,
                                               const ConvConfig& config, const InBlockPlan& plan);
/// `lines` say how it is launched and what its tables are, where there is something to say.
[[nodiscard]] std::string filter_gradient_header(const std::string& name, const ConvConfig& config,
                                                 std::string_view lines);
inline constexpr std::string_view root_tables = "// Tables: roots of unity.\n";
/// Constants of what taps are made from: where they lie in the transformed row, and what its samples are multiplied by.
/// The spectrum's gain makes up for the matrices' scales there and back; the sums are twice what they stand for, but
/// for those of rows alone.
[[nodiscard]] std::string tap_constants(const SpectrumLayout& layout, const ConvConfig& config, const Transform& plan);

/// The entry of a kernel whose blocks are so many a multiprocessor.
[[nodiscard]] std::string filter_gradient_entry(const std::string& name);

/// Ahead of what reads the sums, in kernels that may begin while these are written.
inline constexpr std::string_view wait_for_sums =
    "  // The launch before this one may still be at work: it writes the sums.\n"
    "  wait_for_previous_launch();\n";

}  // namespace ffc
