// Short filters over long rows, in windows, on the host: results, streams in segments, counts, and where windows end.
#include <doctest/doctest.h>

#include "conv_run.hpp"
#include "ffc/generator/plan.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvConfig windowed(std::int64_t n, std::int64_t length, std::int64_t taps) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.fft_length = n;
  config.length = length;
  config.filter_length = taps;
  config.arch = "sm_90a";
  return config;
}

// Within the bar on fresh data, in windows.
void require_accurate(const ConvConfig& config, const Recipe& recipe) {
  static unsigned seed = 1;
  const auto machine = Machine::host();
  const auto kernel = get_kernel(config, machine->device());
  CAPTURE(kernel->name());
  REQUIRE(kernel->generated().windows);
  const double error = relative_error(machine, config, recipe, seed++);
  CAPTURE(error);
  CHECK(error > 0);
  CHECK(error < bar(config.dtype));
}

}  // namespace

TEST_CASE("short filters over rows of many windows") {
  struct Case {
    std::int64_t n, length, taps;
  };
  for (const Case& test : {Case{256, 1000, 65}, Case{1024, 4096, 256}, Case{4096, 10000, 1024}}) {
    Recipe recipe;
    recipe.batch = 3;
    require_accurate(windowed(test.n, test.length, test.taps), recipe);
  }
}
