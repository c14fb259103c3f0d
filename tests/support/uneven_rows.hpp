// Rows whose samples are of sizes far apart, run by run.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

#include "conv_run.hpp"

namespace ffc::conv_tests {

/// Runs of samples of one size: as many as a tile of columns has of a row, or of each `part` of it.
struct Runs {
  std::int64_t samples = 64, part = std::int64_t{1} << 40;
};

/// A size for each run of samples: 2^0 to 2^-span, times that of the row. For Recipe::sample, of rows of so many
/// samples.
inline std::function<float(std::mt19937&)> uneven(std::int64_t of_row, int span,
                                                  const std::function<int(std::int64_t)>& exponent_of_row,
                                                  Runs runs = {}) {
  return [=, at = std::int64_t{0}](std::mt19937& random) mutable {
    const std::int64_t row = at / of_row, run = at % of_row % runs.part / runs.samples;
    ++at;
    const int below = static_cast<int>((run * 2654435761LL >> 7) % (span + 1));
    return std::ldexp(normal(random), exponent_of_row(row) - below);
  };
}

/// Of rows one after the other: far apart, each seventh alike.
inline int falling(std::int64_t row) { return 60 - static_cast<int>(row % 7) * 25; }
constexpr double gain_of_falling = 1 << 25;  // of filters, from channel to channel of one row each

/// Kernels that find a power of two for each tile of columns: causal rows alone in so many columns, of so many points
/// and samples.
inline ConvConfig rows_of_tile_powers(std::int64_t points, Pass pass, int columns = 16) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = points;
  config.fft_length = 2 * points, config.column_length = columns;
  config.batch = 1;  // for which forced columns go alone
  config.dtype = DataType::bf16;
  config.scaling = Scaling::found;
  config.pass = pass;
  config.gradients = parse_gradients("du,dk");
  config.arch = "sm_90a";
  return config;
}

/// The same with both gates, and all gradients.
inline ConvConfig with_gates(ConvConfig config) {
  config.gating = Gating::both;
  config.gradients = parse_gradients("du,dw,dv,dk");
  return config;
}

/// The same of a cluster, whose warps take `piece` samples of every row of columns at a time.
constexpr std::int64_t row_of_cluster = 16384;
inline ConvConfig rows_of_piece_powers(int blocks, std::int64_t row = row_of_cluster) {
  return rows_of_tile_powers(blocks * row, Pass::forward, blocks);
}
inline Runs pieces_of(int blocks, std::int64_t row = row_of_cluster) { return {blocks > 4 ? 128 : 256, row}; }

}  // namespace ffc::conv_tests
