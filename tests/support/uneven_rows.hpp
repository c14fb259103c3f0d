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
inline int falling(std::int64_t row) { return 60 - static_cast<int>(row % 7) * 25; }
constexpr double gain_of_falling = 1 << 25;  // of filters, from channel to channel of one row each

/// Kernels that find a power of two for each tile of columns: causal rows alone in 16 columns of so many points, and as
/// many samples.
inline ConvConfig rows_of_tile_powers(std::int64_t points, Pass pass) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = points;
  config.fft_length = 2 * points, config.column_length = 16;
  config.batch = 1;  // for which forced columns go alone
  config.dtype = DataType::bf16;
  config.scaling = Scaling::found;
  config.pass = pass;
  config.gradients = parse_gradients("du,dk");
  config.arch = "sm_90a";
  return config;
}

}  // namespace ffc::conv_tests
