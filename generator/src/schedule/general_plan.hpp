// Plans of the general family: any digits, one pass over shared memory per digit.
#pragma once

#include <optional>
#include <vector>

#include "ffc/generator/arch.hpp"
#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/plan.hpp"

namespace ffc {

/// Digits of n, each at most 64, few and near 16 or 32; empty where n has a prime factor above 61.
[[nodiscard]] std::vector<int> general_radices(std::int64_t n);

/// What is looped over where a block does not hold all points: half or a quarter of them are at a time.
inline constexpr int general_sweeps[] = {1, 2, 4};

/// Whether a block holds those of n points that are there at a time in so many sweeps, one of general_sweeps.
[[nodiscard]] bool fits_sweeps(std::int64_t n, int sweeps, const Arch& arch);

/// Digits that general_plan takes at that length: general_radices, behind the digit that is swept over where all points
/// do not fit; empty where there are none.
[[nodiscard]] std::vector<int> general_digits(std::int64_t n, const Arch& arch);

/// The plan of exactly these radices (outermost first) at that length, which is their product. Where all points do not
/// fit the arch the first is swept over, if it can be; else nothing.
[[nodiscard]] std::optional<MixedRadixPlan> general_plan(const ConvConfig& config, const std::vector<int>& radices,
                                                         std::int64_t transform_length, const Arch& arch);

}  // namespace ffc
