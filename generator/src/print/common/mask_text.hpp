// A mask of frequencies as text that is emitted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/frequency_mask.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Device functions is_named and is_kept of a frequency, for filter kernels; nothing where the mask is empty.
[[nodiscard]] std::string is_kept_function(const FrequencyMask& mask);

/// What place_function goes from and to.
enum class Direction { to_value, to_place };

/// A device function `name` from a place in the list `values`, which ascends, to the value there, or back: the place
/// and the gaps before it.
[[nodiscard]] std::string place_function(std::string_view name, const std::vector<int>& values,
                                         Direction direction = Direction::to_value);

/// "row == 1 || row == 2", as an expression.
[[nodiscard]] std::string one_of(std::string_view name, const std::vector<int>& values);

/// Constants and device functions of a tiled kernel: which rows of 256 a mask keeps, and how the text finds them.
[[nodiscard]] std::string kept_rows_text(const InBlockPlan& plan);

/// "_sparse79_4f08" for a sparsity of 0.7949, behind it a fingerprint of the mask; nothing for an empty one.
[[nodiscard]] std::string sparsity_suffix(const FrequencyMask& mask, double sparsity);

}  // namespace ffc
