// Columns and rows in a cluster of blocks, run on the host, against float64; what its plans are refused for.
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "ffc/generator/error.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "host_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvConfig config_of(const ColumnCase& test) {
  ConvConfig config = column_config(test);
  config.arch = "sm_90a";
  return config;
}

unsigned next_seed() {
  static unsigned seed = 7300;
  return ++seed;
}

void require_accurate(const ConvConfig& config, const Recipe& recipe) {
  require_accurate_kernel(config, recipe, next_seed(), [&](const Kernel& kernel) {
    REQUIRE(kernel.generated().conv.cluster == config.column_length);
    CHECK(kernel.workspace_bytes() == (kernel.generated().magnitudes ? 256 : 0));  // no ring
  });
}

void require_accurate(const ConvConfig& config, int batch, int channels) {
  require_accurate(config, gapped(batch, channels));
}

}  // namespace

TEST_CASE("clusters of 2, 4 and 8 blocks, rows of every kind") {
  require_accurate(config_of({2, 4096}), 3, 2);
  require_accurate(config_of({4, 4096, 0, Gating::none, DataType::bf16}), 2, 1);
  require_accurate(config_of({8, 4096}), 1, 2);
  require_accurate(config_of({2, 8192}), 1, 1);
  require_accurate(config_of({4, 16384}), 2, 1);
}

TEST_CASE("rows of 5, 6 and 7 x 8, whose columns warps do not share evenly") {
  require_accurate(config_of({4, 10240}), 3, 1);
  require_accurate(config_of({4, 12288, 0, Gating::none, DataType::bf16}), 2, 1);
  require_accurate(config_of({8, 14336, 60001}), 2, 1);
  // Alone, aligned and not, with a last row that is whole, begun, or one that only the delay reaches.
  for (const std::int64_t length : {40960, 40941, 30720, 36870}) {
    ConvConfig alone = config_of({4, 10240, length});
    alone.batch = 1;
    alone.fft_length = 81920;
    alone.padding = Padding::padded;
    require_accurate(alone, 1, 5);
  }
}

TEST_CASE("more pairs than a ring holds") {
  require_accurate(config_of({2, 4096}), 19, 1);
  require_accurate(config_of({2, 4096, 4096}), 15, 1);
}

TEST_CASE("zero-padded and causal rows, gates, odd alignments") {
  require_accurate(config_of({2, 4096, 4096, Gating::both}), 3, 2);
  require_accurate(config_of({4, 4096, 8189, Gating::in, DataType::bf16}), 3, 1);
  require_accurate(config_of({8, 4096, 12346, Gating::out}), 2, 1);
  require_accurate(config_of({2, 4096, 7, Gating::both}), 3, 1);
  require_accurate(config_of({4, 4096, 12000, Gating::none}), 2, 1);
  ConvConfig causal = config_of({4, 4096, 5000, Gating::none});
  causal.padding = Padding::causal;
  require_accurate(causal, 3, 1);
}

TEST_CASE("circular rows with gates, fp32 accumulation, a skip term, input_exponent") {
  require_accurate(config_of({2, 4096, 0, Gating::both}), 3, 1);
  ConvConfig wide = config_of({2, 4096});
  wide.accumulation = Accumulation::fp32;
  require_accurate(wide, 2, 1);
  Recipe skip;
  skip.batch = 3, skip.channels = 2, skip.skip = true;
  require_accurate(config_of({2, 4096, 4096, Gating::both, DataType::bf16}), skip);
  ConvConfig scaled = config_of({2, 4096});
  scaled.input_exponent = -3;
  require_accurate(scaled, 2, 1);
}

TEST_CASE("slices of the batch give the bits of one") {
  const auto kernel = get_kernel(config_of({2, 4096}), machine()->device());
  constexpr std::size_t length = 8192, batch = 9;
  std::mt19937 random(7311);
  std::vector<std::uint16_t> rows(batch * length);
  for (std::uint16_t& sample : rows) sample = examples::encode(DataType::fp16, normal(random));
  std::vector<float> taps(length);
  for (float& tap : taps) tap = normal(random) / 64;
  const Buffer u = Buffer::of(machine(), rows), k = Buffer::of(machine(), taps);
  LaunchArguments arguments;
  arguments.u = {u.data(), length, length};
  arguments.batch = batch;
  arguments.channels = 1;
  arguments.spectrum = kernel->prepare_filter({k.at<float>(0), nullptr, length, 1});
  const auto result = [&](unsigned slices) {
    Buffer y(machine(), 2 * batch * length);
    y.poison();
    arguments.y = {y.data(), length, length};
    HostOptions options;
    options.slices = slices;
    options.seed = slices;
    (void)profile(*kernel, arguments, options);
    return y.download<std::uint16_t>(0, batch * length);
  };
  const std::vector<std::uint16_t> one = result(1);
  CHECK(result(2) == one);
  CHECK(result(5) == one);
}

TEST_CASE("the plan takes a cluster where it was measured to be faster, and where a row alone does not cost a pair") {
  const auto family = [](std::int64_t n, int batch, Gating gating, const std::string& arch) {
    ConvConfig config;
    config.fft_length = n;
    config.batch = batch;
    config.gating = gating;
    config.arch = arch;
    return make_plans(normalised(config)).front().family();
  };
  for (const std::int64_t n : {65536, 131072}) {
    CHECK(family(n, 0, Gating::none, "sm_90a") == Family::cluster);
    CHECK(family(n, 64, Gating::none, "sm_90a") == Family::cluster);
    CHECK(family(n, 1, Gating::none, "sm_90a") == Family::split);
    CHECK(family(n, 0, Gating::both, "sm_90a") == Family::split);
    CHECK(family(n, 0, Gating::none, "sm_80") == Family::split);
  }
  CHECK(family(262144, 0, Gating::none, "sm_90a") == Family::split);
  CHECK(family(32768, 0, Gating::none, "sm_90a") == Family::tiled);
}

TEST_CASE("what no cluster can do is refused in words") {
  const auto check_refused = [](ConvConfig config, const std::string& part) {
    CAPTURE(to_string(config));
    try {
      (void)generate(config);
      FAIL_CHECK("not refused");
    } catch (const ConfigError& error) {
      CHECK_MESSAGE(std::string(error.what()).find(part) != std::string::npos, error.what());
    }
  };
  ConvConfig old = config_of({4, 16384});
  old.arch = "sm_80";
  check_refused(old, "column_length 4, a cluster, on sm_80: clusters need sm_90a or later");
  ConvConfig masked = config_of({4, 16384});
  masked.mask = low_pass(0.25, 65536);
  check_refused(masked, "clusters take none");
  check_refused(config_of({4, 32768}), "they must have 2048 times 2 to 8");
  ConvConfig negative = config_of({4, 16384});
  negative.batch = -1;
  check_refused(negative, "batch is -1; it must be 0 or more");
}
