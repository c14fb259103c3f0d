// Rows and windows that are transformed alone, at frequencies k + 1/4, on the host: results, streams, and what they
// depend on.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "conv_run.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "quarters_case.hpp"
#include "stream_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

// Within the bar on fresh data, with a skip term and gaps between the rows. In windows alone, or in rows alone.
void require_accurate(const Case& test, Padding padding = Padding::causal, bool rows = false) {
  static unsigned seed = 1;
  const auto machine = Machine::host();
  ConvConfig config = config_of(test);
  config.padding = padding;
  const auto kernel = get_kernel(config, machine->device());
  CAPTURE(kernel->name());
  REQUIRE((are_alone(kernel->generated().packing) && !kernel->generated().windows) == rows);
  REQUIRE(kernel->generated().windows.has_value() != rows);
  if (!rows) REQUIRE(kernel->generated().windows->packing == Packing::right_angle);
  Recipe recipe;
  recipe.batch = test.batch;
  // A filter of one tap has one value for all frequencies, and its rounding: it takes many of them to tell the mean.
  recipe.channels = test.taps == 1 ? 20 : 1 + static_cast<int>(seed % 2);
  recipe.skip = seed % 3 == 0;
  recipe.row_gap = seed % 2;
  const double error = relative_error_of(machine, *kernel, recipe, seed++,
                                         [&](const LaunchArguments& arguments) { kernel->launch(arguments); });
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

TEST_CASE("windows alone with outliers and at the ends of the range") {
  const auto machine = Machine::host();
  const ConvConfig config = config_of({{16, 4, 16, 16}, 57344, 8192});
  const auto kernel = get_kernel(config, machine->device());
  const auto limit = static_cast<float>(65504 / std::sqrt(2.0 * 32768));
  std::int64_t count = 0;
  const std::vector<std::pair<const char*, std::function<float(std::mt19937&)>>> data = {
      {"outliers", [&](std::mt19937& random) { return count++ % 20000 == 7000 ? 200.0f : normal(random); }},
      {"near the top",
       [&](std::mt19937& random) { return 0.95f * limit * std::uniform_real_distribution<float>(-1, 1)(random); }},
      {"small", [](std::mt19937& random) { return normal(random) / 128; }}};
  for (const auto& named : data) {
    CAPTURE(named.first);
    Recipe recipe;
    recipe.sample = named.second;
    recipe.filter_scale = 0.2;  // results near the top stay within fp16
    const double error = relative_error_of(machine, *kernel, recipe, 11,
                                           [&](const LaunchArguments& arguments) { kernel->launch(arguments); });
    CHECK(error > 0);
    CHECK(error <= bar(config.dtype));
  }
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
      {{16, 4, 16, 16}, 80001, 8000, Gating::none, DataType::bf16, 3},
      {{14, 4, 16, 16}, 70000, 9001, Gating::none, DataType::fp16, 1},
      {{16, 8, 16, 16}, 70000, 7000, Gating::both, DataType::fp16, 1},
  };
  for (const Case& test : cases) require_accurate(test);
}

TEST_CASE("rows alone, padded and causal, of every tile and butterfly") {
  const auto rows = [](const Case& test, Padding padding) { require_accurate(test, padding, true); };
  rows({{16, 16, 16}, 4096, 4096}, Padding::causal);
  rows({{16, 16, 16}, 4096, 8192}, Padding::padded);
  rows({{9, 16, 16}, 1153, 100, Gating::none, DataType::fp16, 1}, Padding::causal);
  rows({{12, 2, 16, 16}, 6000, 12288, Gating::none, DataType::bf16, 3}, Padding::padded);
  rows({{16, 2, 16, 16}, 8192, 16384}, Padding::padded);
  rows({{16, 3, 16, 16}, 12288, 5000}, Padding::causal);
  rows({{16, 4, 16, 16}, 16384, 16384}, Padding::causal);
  rows({{16, 8, 16, 16}, 32768, 65536, Gating::none, DataType::fp16, 3}, Padding::padded);
}

TEST_CASE("rows alone with gates, of both types, in odd batches and of any length") {
  const auto rows = [](const Case& test, Padding padding) { require_accurate(test, padding, true); };
  rows({{16, 16, 16}, 4001, 8192, Gating::both, DataType::fp16, 3}, Padding::padded);
  rows({{16, 16, 16}, 4002, 3000, Gating::in, DataType::bf16, 1}, Padding::causal);
  rows({{16, 16, 16}, 4004, 4004, Gating::out, DataType::fp16, 5}, Padding::causal);
  rows({{16, 16, 16}, 3000, 3000, Gating::both, DataType::bf16, 1, 2}, Padding::causal);
  rows({{16, 2, 16, 16}, 8000, 16384, Gating::both, DataType::fp16, 1}, Padding::padded);
  rows({{16, 4, 16, 16}, 12344, 12344, Gating::both, DataType::bf16, 3}, Padding::causal);
  rows({{16, 8, 16, 16}, 30001, 30001, Gating::both, DataType::fp16, 1}, Padding::causal);
}

TEST_CASE("rows and windows alone where a block has no room for factors of each row") {
  const Case rows = {{16, 4, 16, 16}, 16384, 16384, Gating::none, DataType::fp16, 2, 0, "sm_89"};
  const Case windows = {{16, 3, 16, 16}, 40000, 4096, Gating::none, DataType::bf16, 3, 0, "sm_86"};
  CHECK_FALSE(plan_of(rows).fractional_rows);
  require_accurate(rows, Padding::causal, true);
  require_accurate(windows);
  require_accurate({{13, 3, 16, 16}, 9984, 19968, Gating::none, DataType::fp16, 1, 0, "sm_120"}, Padding::padded, true);
}

TEST_CASE("blocks that walk over channels do all rows and windows, however many blocks there are") {
  const auto machine = Machine::host();
  const auto require_all = [&](const Case& test, Padding padding) {
    ConvConfig config = config_of(test);
    config.padding = padding;
    const auto kernel = get_kernel(config, machine->device());
    CAPTURE(kernel->name());
    REQUIRE(kernel->generated().walks_channels);
    Recipe recipe;
    recipe.batch = test.batch, recipe.channels = 5;
    // Channels for each block and some left, as many as blocks, fewer, and blocks without work.
    for (const unsigned blocks : {1u, 2u, 5u, 7u, 40u}) {
      CAPTURE(blocks);
      const double error = relative_error_of(machine, *kernel, recipe, blocks, [&](const LaunchArguments& arguments) {
        (void)profile(*kernel, arguments, {.slices = blocks});
      });
      CHECK(error <= bar(test.dtype));
    }
  };
  require_all({{9, 2, 16, 16}, 4608, 9216, Gating::none, DataType::fp16, 3}, Padding::padded);
  require_all({{9, 2, 16, 16}, 9000, 4000, Gating::none, DataType::bf16, 2}, Padding::causal);
  // A channel's spectrum in registers, which another channel's takes the place of.
  require_all({{16, 2, 16, 16}, 8192, 16384, Gating::none, DataType::fp16, 3}, Padding::padded);
  require_all({{14, 2, 16, 16}, 20000, 4000, Gating::none, DataType::fp16, 1}, Padding::causal);
  // Groups at different channels, gates that come in turn, and rows of which some come in ahead.
  require_all({{16, 3, 16, 16}, 12288, 24576, Gating::none, DataType::fp16, 3}, Padding::padded);
  require_all({{16, 2, 16, 16}, 8192, 16384, Gating::both, DataType::bf16, 2}, Padding::padded);
  require_all({{16, 8, 16, 16}, 32768, 65536, Gating::none, DataType::fp16, 2}, Padding::padded);
}

TEST_CASE("a launch of blocks that walk over channels is one wave, and no block is without work") {
  const Generated generated = generate(config_of({{16, 2, 16, 16}, 1 << 20, 2048}));
  REQUIRE(generated.walks_channels);
  CHECK(launch_grid(generated, 64, 768, 132 * generated.blocks_per_sm).x == 132);
  CHECK(launch_grid(generated, 64, 768, 132 * generated.blocks_per_sm).y == 1);
  const std::int64_t windows = generated.windows->pairs(1);
  CHECK(launch_grid(generated, 1, 1, 132 * generated.blocks_per_sm).x == (windows + 2) / 3);
}

TEST_CASE("a filter that reaches half of a window back, one of a tap, and one window of a row") {
  require_accurate({{16, 16, 16}, 9000, 4097, Gating::both, DataType::fp16, 3});
  require_accurate({{16, 16, 16}, 9000, 1, Gating::none, DataType::fp16, 1});
  require_accurate({{12, 16, 16}, 6000, 2000, Gating::none, DataType::bf16, 1});
  require_accurate({{12, 16, 16}, 4000, 2000, Gating::both, DataType::fp16, 3});  // longer than the row
}

TEST_CASE("plans weigh windows alone, and radices of half a window force them") {
  ConvConfig config = config_of({{16, 16, 16}, 1 << 22, 2048});
  CHECK(generate(config).windows->packing == Packing::right_angle);
  config.radices = {16, 2, 16, 16};
  CHECK(generate(config).windows->packing == Packing::two_rows);
  config.radices.clear();
  const std::vector<Plan> plans = make_plans(normalised(config));
  const auto alone = [](const Plan& plan) { return plan->windows && plan->windows->packing == Packing::right_angle; };
  CHECK(std::any_of(plans.begin(), plans.end(), alone));
  CHECK_FALSE(std::all_of(plans.begin(), plans.end(), alone));
  // More than a pair's kernel has room for: 65536 samples, half of them new.
  config.fft_length = 65536;
  config.filter_length = 32769;
  const Generated longest = generate(config);
  REQUIRE(longest.windows->packing == Packing::right_angle);
  CHECK(longest.windows->step == 32768);
  CHECK(longest.windows->pairs(5) == 5 * 128);
  ++config.filter_length;
  CHECK_THROWS_AS((void)generate(config), ConfigError);
  // Neither a half of radices of other kinds, nor of what is no window.
  config = config_of({{8, 16, 16}, 10000, 100});
  CHECK_THROWS_AS((void)generate(config), ConfigError);
  // A row that a window holds, but not its half.
  const Generated whole = generate(config_of({{16, 16, 16}, 4097, 100}));
  REQUIRE(whole.windows);
  CHECK(whole.windows->count == 1);
  // And one that half of its half would hold.
  config = config_of({{16, 16, 16}, 2048, 100});
  CHECK_THROWS_AS((void)generate(config), ConfigError);
}

TEST_CASE("results depend on no sample that the filter does not reach") {
  const auto machine = Machine::host();
  const auto kernel = get_kernel(config_of({{9, 16, 16}, 16384, 250}), machine->device());
  const Windows& windows = *kernel->generated().windows;
  std::mt19937 random(7);
  std::vector<std::uint16_t> u(16384);
  for (std::uint16_t& value : u) value = examples::encode(DataType::fp16, normal(random));
  // Just out of reach of the third window's first sample, in the halo that it reads.
  const auto at = static_cast<std::size_t>(2 * windows.step - windows.reach - 1);
  REQUIRE(windows.halo() > windows.reach);
  const Stream before = run_whole(machine, *kernel, {u, {}, {}}, 1, 1, 3);
  u[at] = 0x7c00;
  const Stream after = run_whole(machine, *kernel, {u, {}, {}}, 1, 1, 3);
  for (auto n = static_cast<std::size_t>(2 * windows.step); n < u.size(); ++n) REQUIRE(before.y[n] == after.y[n]);
  CHECK(before.y[at] != after.y[at]);
}

TEST_CASE("segments of a stream joined are one call, bit for bit where windows align, at any batch") {
  struct StreamCase {
    Case whole;
    int windows;  // of a segment
  };
  const std::vector<StreamCase> cases = {
      {{{16, 16, 16}, 6144 * 6, 2049, Gating::both, DataType::fp16, 3}, 1},
      {{{9, 16, 16}, 4352 * 4, 200, Gating::in, DataType::bf16, 1}, 2},
      {{{16, 2, 16, 16}, 12288 * 2, 4090, Gating::out, DataType::fp16, 2}, 1},
      {{{16, 4, 16, 16}, 24576 * 3, 8193, Gating::none, DataType::fp16, 1}, 1},
      // A history longer than a segment.
      {{{16, 16, 16}, 4096 * 2, 4097, Gating::none, DataType::fp16, 1}, 1},
  };
  const auto machine = Machine::host();
  for (const StreamCase& test : cases) {
    const ConvConfig config = config_of(test.whole);
    const auto whole = get_kernel(config, machine->device());
    ConvConfig part = config;
    part.history = true;
    part.length = test.windows * whole->generated().windows->step;
    const auto segment = get_kernel(part, machine->device());
    CAPTURE(segment->name());
    REQUIRE(config.length % part.length == 0);
    const StreamData data = random_stream(config, test.whole.batch, 2, 11);
    const Stream one = run_whole(machine, *whole, data, test.whole.batch, 2, 5);
    const Stream joined = run_segments(machine, *segment, config.length, data, test.whole.batch, 2, 5);
    CHECK(one.y == joined.y);
    CHECK(stream_error(config, one, data, test.whole.batch, 2, 5) <= bar(config.dtype));
  }
}

TEST_CASE("segments of any length are as accurate as one call") {
  const auto machine = Machine::host();
  const Case test = {{16, 16, 16}, 20000, 1000, Gating::both, DataType::fp16, 3};
  ConvConfig config = config_of(test), part = config;
  part.history = true;
  part.length = 7001;
  part.row_alignment = config.row_alignment = 2;
  const auto segment = get_kernel(part, machine->device());
  const StreamData data = random_stream(config, test.batch, 2, 21);
  const Stream joined = run_segments(machine, *segment, config.length, data, test.batch, 2, 6);
  CHECK(stream_error(config, joined, data, test.batch, 2, 6) <= bar(config.dtype));
}
