// Transforms past one block, forced on short ones and run on the host, against float64: columns, rows, columns back.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "host_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Case {
  int butterfly, row_length;
  std::int64_t length = 0;  ///< 0: all of them
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  std::string arch = {};
};

ConvConfig config_of(const Case& test) {
  return column_config({16 * test.butterfly, test.row_length, test.length, test.gating, test.dtype, test.arch});
}

unsigned next_seed() {
  static unsigned seed = 300;
  return ++seed;
}

void require_accurate(const ConvConfig& config, const Recipe& recipe) {
  require_accurate_kernel(config, recipe, next_seed(), [](const Kernel& kernel) { REQUIRE(kernel.generated().split); });
}

void require_accurate(const ConvConfig& config, int batch, int channels) {
  require_accurate(config, gapped(batch, channels));
}

}  // namespace

TEST_CASE("columns of every length, circular") {
  int i = 0;
  for (const int butterfly : {1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64}) {
    const DataType dtype = ++i % 3 == 0 ? DataType::bf16 : DataType::fp16;
    // Both rows of a pair, a row alone, and both kinds together.
    const int batch = butterfly >= 16 ? butterfly / 16 : 1 + i % 3;
    require_accurate(config_of({butterfly, 256, 0, Gating::none, dtype}), batch, butterfly < 8 ? 2 : 1);
  }
}

TEST_CASE("rows of several kinds") {
  require_accurate(config_of({1, 512}), 2, 2);
  require_accurate(config_of({1, 1024}), 3, 2);
  require_accurate(config_of({1, 2048, 0, Gating::none, DataType::bf16}), 1, 1);
  require_accurate(config_of({1, 2304}), 3, 1);
  require_accurate(config_of({1, 4096}), 5, 1);
}

TEST_CASE("rows of 16384: twiddles of steps, a spectrum that is copied ahead") {
  require_accurate(config_of({1, 16384}), 2, 1);
  require_accurate(config_of({1, 16384, 100000, Gating::both}), 1, 2);
}

TEST_CASE("zero-padded rows, gates, odd alignments") {
  require_accurate(config_of({2, 256, 4096, Gating::both}), 3, 2);
  require_accurate(config_of({2, 256, 4096, Gating::none, DataType::bf16}), 2, 3);
  require_accurate(config_of({2, 256, 8189, Gating::in, DataType::bf16}), 3, 2);
  require_accurate(config_of({2, 256, 1234, Gating::out}), 2, 2);
  require_accurate(config_of({1, 256, 7, Gating::both}), 3, 2);
}

TEST_CASE("rows without partners: of two channels together, and of the last channel of an odd number") {
  require_accurate(config_of({1, 256}), 1, 2);
  require_accurate(config_of({3, 512}), 1, 3);
  require_accurate(config_of({2, 1024}), 3, 3);
  require_accurate(config_of({1, 2048, 0, Gating::none, DataType::bf16}), 1, 2);
  require_accurate(config_of({2, 256, 4096, Gating::both}), 1, 4);
  require_accurate(config_of({2, 256, 8189, Gating::in, DataType::bf16}), 5, 3);
  require_accurate(config_of({3, 256, 1234, Gating::out}), 1, 3);
  require_accurate(config_of({2, 256, 0, Gating::both, DataType::fp16, "sm_80"}), 1, 2);
  require_accurate(config_of({16, 256, 30001, Gating::both}), 1, 2);
  require_accurate(config_of({32, 256, 70002}), 1, 2);  // second products
}

TEST_CASE("rows without partners have filters of their own, and scales") {
  for (const int channels : {2, 3}) {
    Recipe recipe;
    recipe.batch = 1;
    recipe.channels = channels;
    recipe.skip = true;
    recipe.channel_gain = 0.125;  // what leaks from the first would show in the others, which weigh less in the sum
    require_accurate(config_of({2, 512}), recipe);
    recipe.channel_gain = 8;
    require_accurate(config_of({2, 512}), recipe);
  }
}

TEST_CASE("lanes that hold two columns, and one") {
  require_accurate(config_of({16, 256, 30001, Gating::both}), 3, 1);
  require_accurate(config_of({32, 256, 70002, Gating::both, DataType::bf16}), 1, 1);
}

TEST_CASE("circular rows with gates, two archs") {
  for (const std::string arch : {"sm_80", "sm_90a"})
    require_accurate(config_of({2, 256, 0, Gating::both, DataType::fp16, arch}), 3, 2);
  require_accurate(config_of({1, 256, 0, Gating::in}), 2, 3);
  require_accurate(config_of({1, 256, 0, Gating::out, DataType::bf16}), 5, 1);
  require_accurate(config_of({1, 256, 4092, Gating::both}), 2, 1);  // rows aligned to 8 bytes
}

TEST_CASE("causal convolutions") {
  ConvConfig config = config_of({2, 256, 5000, Gating::none});
  config.padding = Padding::causal;  // with as many taps as there is room for
  require_accurate(config, 3, 1);
  config.length = 8001;
  config.filter_length = 100;
  config.gating = Gating::both;
  require_accurate(config, 2, 2);
  // A length that no block holds leaves the transform to the plan.
  config = {};
  config.padding = Padding::causal;
  config.length = 33007;
  require_accurate(config, 1, 1);
  CHECK(get_kernel(config, machine()->device())->generated().transform_length >= 66013);
}

TEST_CASE("a circular length with a large prime is folded into a longer transform") {
  ConvConfig config;
  config.fft_length = 33013;
  require_accurate(config, 1, 1);
  CHECK(get_kernel(config, machine()->device())->generated().transform_length >= 2 * 33013 - 1);
}

TEST_CASE("forced radices, accumulations, the skip term, filters of any gain") {
  ConvConfig config = config_of({2, 1024});
  config.radices = {16, 2, 4, 16, 16};
  require_accurate(config, 2, 1);
  config = config_of({1, 256});
  config.accumulation = Accumulation::fp32;
  require_accurate(config, 2, 1);
  for (const double gain : {1e-4, 1.0, 100.0}) {
    Recipe recipe;
    recipe.skip = true;
    recipe.filter_scale = gain;
    recipe.channel_gain = 8;
    const bool bf16 = gain > 1;
    require_accurate(config_of({bf16 ? 2 : 1, 256, 0, Gating::none, bf16 ? DataType::bf16 : DataType::fp16}), recipe);
  }
}

TEST_CASE("input_exponent moves the range") {
  ConvConfig config = config_of({1, 256, 0, Gating::none, DataType::bf16});
  config.input_exponent = -12;
  Recipe recipe;
  recipe.batch = 3;
  recipe.sample = [](std::mt19937& random) { return 40000 * normal(random); };
  require_accurate(config, recipe);
  config.input_exponent = 12;
  config.gating = Gating::both;
  recipe.sample = [](std::mt19937& random) { return 1e-6f * normal(random); };
  require_accurate(config, recipe);
}

TEST_CASE("a large mean, one outlier, the ends of the documented range") {
  for (const Case& test : {Case{1, 256}, Case{2, 256, 0, Gating::none, DataType::bf16}}) {
    const ConvConfig config = config_of(test);
    const std::int64_t n = config.fft_length;
    const auto limit = static_cast<float>(65504.0 / std::sqrt(2.0 * static_cast<double>(n)));
    const std::vector<std::pair<const char*, std::function<float(std::mt19937&)>>> data = {
        {"large mean",
         [count = std::int64_t{0}, mean = 0.0f, n](std::mt19937& random) mutable {
           if (count++ % n == 0) mean = std::uniform_real_distribution<float>(5, 15)(random);
           return mean + normal(random);
         }},
        {"outlier", [count = std::int64_t{0},
                     n](std::mt19937& random) mutable { return count++ % n == n / 3 ? 200.0f : normal(random); }},
        {"near the top",
         [limit](std::mt19937& random) {
           return 0.95f * limit * std::uniform_real_distribution<float>(-1, 1)(random);
         }},
        {"at the top", [limit](std::mt19937& random) { return random() % 2 == 0 ? 0.99f * limit : -0.99f * limit; }},
        {"small", [](std::mt19937& random) { return normal(random) / 128; }}};
    for (const auto& [name, sample] : data) {
      CAPTURE(name);
      Recipe recipe;
      recipe.batch = 5;
      recipe.sample = sample;
      recipe.filter_scale = 0.2;
      require_accurate(config, recipe);
    }
  }
}

TEST_CASE("workspaces of any size give the same bits") {
  // A row and its mirror by one warp; each by two.
  struct Run {
    Case test;
    int batch, channels;
  };
  for (const auto& [test, batch, channels] :
       {Run{{2, 256, 4096, Gating::both}, 5, 2}, Run{{2, 256, 4096, Gating::both}, 2, 5}, Run{{1, 2048}, 3, 3},
        Run{{3, 512}, 1, 5}}) {
    const auto kernel = get_kernel(config_of(test), machine()->device());
    CAPTURE(kernel->name());
    const std::size_t pair = kernel->least_workspace_bytes();
    Recipe recipe;
    recipe.batch = batch;
    recipe.channels = channels;
    std::vector<std::vector<std::uint16_t>> results;
    const auto launch_all = [&](const LaunchArguments& arguments) {
      const auto count = static_cast<std::size_t>(batch * arguments.y.batch_stride);
      for (const std::size_t bytes :
           {std::size_t{0}, pair, 2 * pair - 1, 2 * pair, 3 * pair, 3 * pair + 16, 5 * pair, 20 * pair}) {
        LaunchArguments lent = arguments;
        Buffer workspace(machine(), std::max<std::size_t>(bytes, 1));
        workspace.poison();  // the counts in it are zeroed by the launch
        if (bytes > 0) lent.workspace = {workspace.data(), bytes};
        std::memset(arguments.y.data, 0xFF, 2 * count);
        kernel->launch(lent);
        const auto* const y = static_cast<const std::uint16_t*>(arguments.y.data);
        results.emplace_back(y, y + count);
      }
    };
    CHECK(relative_error_of(machine(), *kernel, recipe, next_seed(), launch_all) <= bar(*kernel));
    for (const auto& result : results) CHECK(result == results.front());
  }
}

namespace {

// Rows of y, as batch and channel, that hold anything not finite, of three of each of two channels: after `spoil` has
// had its way with u of (3, 2, 4096) and the filters.
std::vector<std::pair<int, int>> spoiled_rows(
    const std::function<void(std::vector<std::uint16_t>& u, std::vector<float>& k)>& spoil) {
  constexpr std::size_t length = 4096, batch = 3, channels = 2;
  const auto kernel = get_kernel(config_of({1, 256}), machine()->device());
  std::mt19937 random(next_seed());
  std::vector<std::uint16_t> samples(batch * channels * length);
  for (std::uint16_t& sample : samples) sample = examples::encode(DataType::fp16, normal(random));
  std::vector<float> taps(channels * length);
  for (float& tap : taps) tap = normal(random) / 64;
  spoil(samples, taps);
  const Buffer u = Buffer::of(machine(), samples), k = Buffer::of(machine(), taps);
  Buffer y(machine(), 2 * samples.size());
  y.poison();
  LaunchArguments arguments;
  arguments.spectrum = kernel->prepare_filter({k.at<float>(0), nullptr, 0, channels});
  arguments.u = {u.data(), channels * length, length};
  arguments.y = {y.data(), channels * length, length};
  arguments.batch = batch, arguments.channels = channels;
  kernel->launch(arguments);
  std::vector<std::pair<int, int>> rows;
  for (std::size_t b = 0; b < batch; ++b)
    for (std::size_t h = 0; h < channels; ++h)
      for (const std::uint16_t bits : y.download<std::uint16_t>((b * channels + h) * length, length))
        if (!std::isfinite(examples::decode(DataType::fp16, bits))) {
          rows.emplace_back(static_cast<int>(b), static_cast<int>(h));
          break;
        }
  return rows;
}

}  // namespace

TEST_CASE("what is not finite reaches the other row of its pair, of the next channel too, and no further") {
  using Rows = std::vector<std::pair<int, int>>;
  constexpr std::size_t length = 4096, channels = 2;
  constexpr std::uint16_t infinity = 0x7C00;
  const auto in_row = [&](std::size_t b, std::size_t h) {
    return spoiled_rows(
        [&](std::vector<std::uint16_t>& u, std::vector<float>&) { u[(b * channels + h) * length + 1234] = infinity; });
  };
  CHECK(spoiled_rows([](std::vector<std::uint16_t>&, std::vector<float>&) {}).empty());
  CHECK(in_row(0, 0) == Rows{{0, 0}, {1, 0}});
  CHECK(in_row(2, 0) == Rows{{0, 1}, {2, 0}});
  CHECK(in_row(0, 1) == Rows{{0, 1}, {2, 0}});
  CHECK(in_row(1, 1) == Rows{{1, 1}, {2, 1}});
  const auto in_filter = [](std::size_t h) {
    return spoiled_rows([&](std::vector<std::uint16_t>&, std::vector<float>& k) { k[h * length + 7] = NAN; });
  };
  CHECK(in_filter(0) == Rows{{0, 0}, {0, 1}, {1, 0}, {2, 0}});
  CHECK(in_filter(1) == Rows{{0, 1}, {1, 1}, {2, 0}, {2, 1}});
}
