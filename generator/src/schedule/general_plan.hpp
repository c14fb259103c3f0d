// Plans of the general family: any digits, one pass over memory per digit.
#pragma once

#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Digits of n, each at most 64, few and near 16 or 32; empty where n has a prime factor above 61.
[[nodiscard]] std::vector<int> general_radices(std::int64_t n);

/// Digits that general_plan takes at that length where nobody asks for others: general_radices, behind a 2 or a 4 that
/// goes through the workspace where a block holds only half or a quarter of all points; empty where there are none.
[[nodiscard]] std::vector<int> general_digits(std::int64_t n, const Arch& arch);

/// Digits for radices that were asked for: those, where other digits would not take far fewer passes; else products of
/// radices that follow each other, or general_radices.
[[nodiscard]] std::vector<int> general_digits_of(const std::vector<int>& radices);

/// The plan of exactly these radices (outermost first) at that length, which is their product.
[[nodiscard]] MixedRadixPlan general_plan(const ConvConfig& config, const std::vector<int>& radices,
                                          std::int64_t transform_length, const Arch& arch);

}  // namespace ffc
