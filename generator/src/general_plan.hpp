// Plans of the general family: any digits, one pass over shared memory per digit.
#pragma once

#include <optional>
#include <vector>

#include "ffc/generator/plan.hpp"

namespace ffc {

/// Digits of n, each at most 64, few and near 16 or 32; empty where n has a prime factor above 61.
[[nodiscard]] std::vector<int> general_radices(std::int64_t n);

/// The plan of these radices (outermost first) at that length; nothing where it does not fit the arch.
[[nodiscard]] std::optional<Plan> general_plan(const ConvConfig& config, const std::vector<int>& radices,
                                               std::int64_t transform_length, const Arch& arch);

}  // namespace ffc
