// What `ffc-gen --plan` shows: the plans that were weighed for a config.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ffc/generator/conv_config.hpp"
#include "ffc/generator/packing.hpp"
#include "ffc/generator/windows.hpp"

namespace ffc {

/// One kernel of a plan.
struct KernelSummary {
  int threads = 0;  ///< per block
  int groups = 0;   ///< per block: they walk over pairs on their own
  int blocks_per_sm = 0;
  int shared_bytes = 0;  ///< per block
};

/// One plan in words and numbers.
struct PlanSummary {
  std::string factorisation;       ///< radices, outermost first: "16x16x16"
  std::string reading;             ///< how forced radices are computed, in words; empty where they are the digits
  std::vector<std::string> steps;  ///< in order, in words, with the numbers that texts name them by
  KernelSummary kernel;
  int column_length = 0;        ///< R of a split plan, else 0
  std::int64_t row_length = 0;  ///< M of a split plan, else 0
  std::int64_t pair_bytes = 0;  ///< workspace of one pair of rows, or of one row alone; 0 where a launch needs none
  Packing packing = Packing::two_rows;   ///< how rows, or windows, become complex ones
  std::optional<Windows> windows;        ///< nothing where a transform takes whole rows
  double sparsity = 0;                   ///< part of the frequencies that the mask drops
  std::vector<std::string> skipped;      ///< what is left out for it, in words; empty without a mask
  double predicted_ratio = 0;            ///< time over the time to copy the same bytes, of 64 rows of 768 channels (or
                                         ///< as many as the config hints at), launches and all
  double predicted_us_per_pair = 0;      ///< microseconds per pair of rows, on a whole H200
  std::optional<double> measured_ratio;  ///< what this kernel took on an H200, where the benchmark has it
};

/// The chosen plan first, then the runners-up, at most `at_most` in all. Throws ConfigError as `generate` does.
[[nodiscard]] std::vector<PlanSummary> rank_plans(const ConvConfig& config, std::size_t at_most);

}  // namespace ffc
