// Rows whose samples are of sizes far apart, run by run.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

#include "conv_run.hpp"

namespace ffc::conv_tests {

/// A size for each run of 64 samples, as many as a tile of columns has of a row: 2^0 to 2^-span, times that of the row.
/// For Recipe::sample, of rows of so many samples.
inline std::function<float(std::mt19937&)> uneven(std::int64_t of_row, int span,
                                                  const std::function<int(std::int64_t)>& exponent_of_row) {
  return [=, at = std::int64_t{0}](std::mt19937& random) mutable {
    const std::int64_t row = at / of_row, run = at % of_row / 64;
    ++at;
    const int below = static_cast<int>((run * 2654435761LL >> 7) % (span + 1));
    return std::ldexp(normal(random), exponent_of_row(row) - below);
  };
}

/// Of rows one after the other: far apart, each seventh alike.
constexpr double gain_of_falling = 1 << 25;  // of filters, from channel to channel of one row each
inline int falling(std::int64_t row) { return 60 - static_cast<int>(row % 7) * 25; }

}  // namespace ffc::conv_tests
