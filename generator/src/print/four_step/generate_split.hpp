// The kernel of columns and rows, and what a launch of it needs.
#pragma once

#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/generated_kernel.hpp"
#include "ffc/generator/plan.hpp"
#include "spectrum_layout.hpp"

namespace ffc {

/// The kernel of a split plan, its filter and its launch (generate of that family).
[[nodiscard]] Generated generate_split(const ConvConfig& config, FourStepPlan plan);

/// Which frequency each element of a row of the spectrum is, and which taps there are. `kept`: the spectrum's rows,
/// where a mask leaves some out; `gain` makes up for the scales of columns and rows.
[[nodiscard]] SpectrumLayout row_layout(const ConvConfig& config, const ColumnsAndRowsPlan& plan,
                                        const std::vector<int>& kept, double gain);

/// Whether the filter kernel of columns and rows leaves the spectrum to be multiplied by a power of two.
[[nodiscard]] bool split_spectrum_lacks_power(const ConvConfig& config, const ColumnsAndRowsPlan& plan,
                                              const std::vector<int>& kept);

/// The filter kernel of columns and rows, whose config `result` holds, and its tag.
void put_split_filter(Generated& result, const ColumnsAndRowsPlan& plan, const SpectrumLayout& layout);

}  // namespace ffc
