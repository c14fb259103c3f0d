// Windows that are transformed alone, at frequencies k + 1/4, on the host: results, streams, and what they depend on.
#include <doctest/doctest.h>

#include <numeric>

#include "conv_run.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_report.hpp"
#include "stream_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Case {
  std::vector<int> radices;  // of half of the window
  std::int64_t length, taps;
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  int batch = 2, row_alignment = 0;
};

// Windows of twice the product of the radices.
ConvConfig config_of(const Case& test) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.radices = test.radices;
  config.fft_length = std::accumulate(test.radices.begin(), test.radices.end(), std::int64_t{2}, std::multiplies<>());
  config.length = test.length;
  config.filter_length = test.taps;
  config.gating = test.gating;
  config.dtype = test.dtype;
  config.row_alignment = test.row_alignment;
  config.arch = "sm_90a";
  return config;
}

// Within the bar on fresh data, in windows alone, with a skip term and gaps between the rows.
void require_accurate(const Case& test) {
  static unsigned seed = 1;
  const auto machine = Machine::host();
  const auto kernel = get_kernel(config_of(test), machine->device());
  CAPTURE(kernel->name());
  REQUIRE(kernel->generated().windows);
  REQUIRE(kernel->generated().windows->alone);
  Recipe recipe;
  recipe.batch = test.batch;
  recipe.channels = 1 + static_cast<int>(seed % 2);
  recipe.skip = seed % 3 == 0;
  recipe.row_gap = seed % 2;
  const double error = relative_error_of(machine, *kernel, recipe, seed++,
                                         [&](const LaunchArguments& arguments) { kernel->launch(arguments); });
  MESSAGE(kernel->name(), " ", error);
  CHECK(error > 0);
  CHECK(error <= bar(config_of(test).dtype));
}

}  // namespace

TEST_CASE("windows alone, of every tile and butterfly") {
  require_accurate({{16, 16, 16}, 30000, 2048});
  require_accurate({{9, 16, 16}, 20000, 1000});
  require_accurate({{12, 2, 16, 16}, 40000, 2048});
  require_accurate({{16, 2, 16, 16}, 40000, 4096});
  require_accurate({{16, 3, 16, 16}, 40000, 4096});
  require_accurate({{16, 4, 16, 16}, 70000, 8192});
  require_accurate({{16, 8, 16, 16}, 140000, 16384});
}

TEST_CASE("gates, both types, odd batches and rows of any length") {
  const std::vector<Case> cases = {
      {{16, 16, 16}, 10000, 65, Gating::both, DataType::fp16, 3},
      {{16, 16, 16}, 20001, 1000, Gating::in, DataType::bf16, 1},
      {{16, 16, 16}, 20002, 4096, Gating::out, DataType::fp16, 1},
      {{16, 16, 16}, 16384, 2048, Gating::none, DataType::fp16, 3, 2},
      {{10, 16, 16}, 20004, 333, Gating::both, DataType::bf16, 2},
      {{16, 2, 16, 16}, 30001, 5000, Gating::both, DataType::bf16, 3},
      {{16, 4, 16, 16}, 50000, 16385, Gating::both, DataType::fp16, 1},
      {{16, 8, 16, 16}, 70000, 7000, Gating::both, DataType::fp16, 1},
  };
  for (const Case& test : cases) require_accurate(test);
}
