// Faults put into the text of a transform past one block: what tests of pairs, of rows one by one and of rows alone
// share.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "conv_run.hpp"
#include "host_kernel.hpp"
#include "made_kernel.hpp"

namespace ffc::conv_tests {

// What stops a launch that waits for ever.
constexpr std::string_view stuck = "nobody completes what it waits for";

struct Fault {
  const char* what;
  std::string_view from, to;
  std::string_view refusal = {};  ///< empty: an error in the result, or any refusal
};

struct Outcome {
  double error = 0;     ///< infinite where the launch was refused
  std::string refusal;  ///< of the launch
};

// Three channels of a pair and a row alone: two of those make a pair, of two channels, the third stays alone. In a ring
// of NaNs of so many pairs, warps in an order drawn from `seed`.
inline Outcome outcome_of(const host::HostKernel& kernel, std::int64_t ring, unsigned seed) {
  const auto machine = Machine::host();
  Recipe recipe;
  recipe.batch = 3;
  recipe.channels = 3;
  recipe.channel_gain = 4;
  Buffer workspace(machine, static_cast<std::size_t>(kernel.generated().split->workspace_bytes(ring)));
  workspace.poison();
  HostOptions options;
  options.seed = seed;
  try {
    const double error = relative_error_of(machine, kernel, recipe, 7, [&](LaunchArguments arguments) {
      arguments.workspace = {workspace.data(), workspace.bytes()};
      (void)kernel.run(arguments, options);
    });
    return {std::isnan(error) ? HUGE_VAL : error, {}};
  } catch (const HostError& error) {
    return {HUGE_VAL, error.what()};
  }
}

// A batch of one makes rows go one by one, however many there are then, and padded ones alone: as long as the columns
// and rows that half of the transform is.
inline Generated example(int column_length, int row_length, int batch = 0, Padding padding = Padding::circular) {
  ConvConfig config;
  config.batch = batch;
  config.padding = padding;
  config.column_length = column_length;
  config.length = std::int64_t{row_length} * column_length;
  config.fft_length = (padding == Padding::circular ? 1 : 2) * config.length;
  config.arch = "sm_90a";
  return generate(config);
}

// Rings of all five pairs (or of all nine rows, one by one), of some, of one: some faults show only where places are
// used again, some only where not.
constexpr std::int64_t rings[] = {9, 3, 1};
constexpr unsigned seeds = 3;

// A fault must be one, and where it is meant to be.
inline void put(std::string& source, const Fault& fault) {
  const std::size_t at = source.find(fault.from);
  REQUIRE(at != std::string::npos);
  REQUIRE(source.find(fault.from, at + 1) == std::string::npos);
  source.replace(at, fault.from.size(), fault.to);
}

inline void check_shows(Generated generated, const Fault& fault) {
  CAPTURE(std::string(fault.what));
  put(generated.conv.source, fault);
  const host::HostKernel kernel = kernel_of(generated);
  double largest = 0;
  std::string refusals;
  for (const std::int64_t ring : rings)
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      const Outcome outcome = outcome_of(kernel, ring, seed);
      largest = std::max(largest, outcome.error);
      refusals += outcome.refusal;
      if (largest > 1.0e-2 && refusals.find(fault.refusal) != std::string::npos) return;
    }
  CHECK(largest > 1.0e-2);
  CHECK_MESSAGE(refusals.find(fault.refusal) != std::string::npos, refusals);
}

inline void check_passes(const Generated& generated) {
  const host::HostKernel kernel = kernel_of(generated);
  CAPTURE(generated.name);
  for (const std::int64_t ring : {1, 2, 3, 5})
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      CAPTURE(ring);
      CAPTURE(seed);
      const Outcome outcome = outcome_of(kernel, ring, seed);
      CHECK_MESSAGE(outcome.error <= bar(DataType::fp16, true), outcome.refusal);
    }
}

}  // namespace ffc::conv_tests
