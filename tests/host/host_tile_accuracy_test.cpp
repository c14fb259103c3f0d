// Gated rows of every tile and butterfly that one block holds as rows of 256, against float64: what is left of the
// bound is least there, and depends on the radices.
#include <doctest/doctest.h>

#include <cstdint>
#include <set>

#include "conv_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

constexpr std::int64_t row = 256;
constexpr double share_of_bar = 0.99;  // other rows scatter by a hundredth

std::set<std::int64_t> lengths() {
  std::set<std::int64_t> result;
  for (const std::int64_t butterfly : {1, 2, 3, 4})
    for (std::int64_t tile = 9; tile <= 16; ++tile) result.insert(row * butterfly * tile);
  for (std::int64_t butterfly = 2; butterfly <= 8; ++butterfly) result.insert(row * butterfly);
  return result;
}

void require_accurate(ConvConfig config, Gating gating = Gating::both) {
  static const auto machine = Machine::host();
  static unsigned seed = 40;
  config.gating = gating, config.arch = "sm_90a";
  CAPTURE(to_string(config));
  Recipe recipe;
  recipe.batch = 4, recipe.channels = 1;
  CHECK(relative_error(machine, config, with_enough_samples(recipe, config), ++seed) <=
        share_of_bar * bar(config.dtype));
}

}  // namespace

TEST_CASE("circular rows with gates, in pairs and alone") {
  for (const std::int64_t length : lengths()) {
    ConvConfig config;
    config.fft_length = length;
    require_accurate(config);
  }
}

TEST_CASE("causal rows with gates, in pairs and alone") {
  for (const std::int64_t length : lengths()) {
    ConvConfig config;
    config.length = length, config.padding = Padding::causal;
    require_accurate(config);
  }
}

TEST_CASE("causal rows that a warp holds") {
  for (std::int64_t rows = 1; rows <= 6; ++rows) {
    ConvConfig config;
    config.length = row * rows, config.padding = Padding::causal;
    require_accurate(config, Gating::none);
  }
}
