// Every kind of kernel that the generator emits, run on the host, against float64: the same texts that a GPU runs.
#include <doctest/doctest.h>

#include "conv_run.hpp"
#include "ffc/generator/plan.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Case {
  std::int64_t fft_length, length;
  Padding padding = Padding::circular;
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  std::vector<int> radices = {};
  std::string arch = {};
};

ConvConfig config_of(const Case& test) {
  ConvConfig config;
  config.fft_length = test.fft_length;
  config.length = test.length;
  config.padding = test.padding;
  config.gating = test.gating;
  config.dtype = test.dtype;
  config.radices = test.radices;
  config.arch = test.arch;
  return config;
}

void require_accurate(const ConvConfig& config, int batch, int channels, std::int64_t samples = 16384) {
  static const auto machine = Machine::host();
  static unsigned seed = 100;
  Recipe recipe;
  recipe.batch = batch;
  recipe.channels = channels;
  recipe.row_gap = 1;
  CAPTURE(to_string(config));
  CHECK(relative_error(machine, config, with_enough_samples(recipe, config, samples), ++seed) <= bar(config.dtype));
}

}  // namespace

TEST_CASE("circular convolutions of all families, ungated and gated, both types, odd batches") {
  int i = 0;
  for (const std::int64_t n : {16,   31,   100,  256,  300,  512,  768,  992,  1000, 1024, 1280, 1536,
                               1792, 2048, 2304, 2560, 3000, 4096, 4097, 5120, 6144, 6656, 8192})
    for (const Gating gating : {Gating::none, Gating::both})
      require_accurate(config_of({n, n, Padding::circular, gating, ++i % 3 == 0 ? DataType::bf16 : DataType::fp16}), 3,
                       2);
}

TEST_CASE("zero-padded and causal convolutions") {
  for (const std::int64_t n : {64, 256, 512, 768, 1000, 1024, 2048, 4096, 8192}) {
    require_accurate(config_of({n, n / 2, Padding::padded, Gating::none, DataType::bf16}), 3, 1);
    require_accurate(config_of({n, n / 2, Padding::padded, Gating::both}), 1, 1);
    require_accurate(config_of({0, n / 2 + 5, Padding::causal, n % 3 == 0 ? Gating::in : Gating::out}), 2, 1);
  }
}

TEST_CASE("forced radices") {
  for (const std::vector<int>& radices : std::vector<std::vector<int>>{{2, 16, 16},
                                                                       {8, 16, 16},
                                                                       {16, 2, 16, 16},
                                                                       {2, 8, 16, 16},
                                                                       {31, 32},
                                                                       {7, 11, 13},
                                                                       {32, 32},
                                                                       {64, 5},
                                                                       {5, 5, 40},
                                                                       {2, 3, 7, 61}}) {
    std::int64_t n = 1;
    for (const int radix : radices) n *= radix;
    require_accurate(config_of({n, n, Padding::circular, Gating::both, DataType::fp16, radices}), 3, 1);
  }
}

TEST_CASE("texts for every arch") {
  for (const Arch& arch : architectures()) {
    require_accurate(
        config_of({1024, 1024, Padding::circular, Gating::none, DataType::fp16, {}, std::string(arch.name)}), 2, 1);
    // 0.97e-3, which 16384 samples tell to 1.5 %.
    require_accurate(config_of({8192, 4096, Padding::padded, Gating::both, DataType::fp16, {}, std::string(arch.name)}),
                     2, 1, 65536);
  }
}

TEST_CASE("the longest, whose first stage is in fp32, and transforms that take turns in shared memory") {
  require_accurate(config_of({32768, 32768}), 2, 1);
  require_accurate(config_of({32768, 16384, Padding::padded}), 2, 1);
  require_accurate(config_of({32768, 32768, Padding::circular, Gating::both}), 1, 1);
  require_accurate(config_of({16384, 8192, Padding::padded, Gating::both}), 3, 1);
  ConvConfig config = config_of({27000, 27000, Padding::circular, Gating::none, DataType::fp16, {30, 30, 30}, "sm_86"});
  CHECK(make_plans(normalised(config)).front().sweeps > 1);
  require_accurate(config, 2, 1);
}

TEST_CASE("results in place of their inputs") {
  const auto machine = Machine::host();
  for (const ConvConfig& config : {config_of({1024, 1024}), config_of({8192, 4096, Padding::padded})}) {
    const auto kernel = get_kernel(config, machine->device());
    CAPTURE(kernel->name());
    const auto length = static_cast<std::size_t>(config.length);
    std::mt19937 random(1);
    std::vector<std::uint16_t> samples(3 * length), nothing(3 * length, 0xFFFF);
    for (std::uint16_t& sample : samples) sample = examples::to_fp16(normal(random));
    std::vector<float> k(static_cast<std::size_t>(config.fft_length));
    for (float& tap : k) tap = normal(random);
    const Buffer u = Buffer::of(machine, samples), y = Buffer::of(machine, nothing), taps = Buffer::of(machine, k);
    LaunchArguments arguments;
    arguments.u = {u.data(), config.length, config.length};
    arguments.y = {y.data(), config.length, config.length};
    arguments.batch = 3;
    arguments.channels = 1;
    arguments.spectrum = kernel->prepare_filter({taps.at<float>(0), nullptr, config.fft_length, 1});
    kernel->launch(arguments);
    arguments.y.data = u.data();
    kernel->launch(arguments);
    CHECK(u.download<std::uint16_t>(0, 3 * length) == y.download<std::uint16_t>(0, 3 * length));
  }
}

TEST_CASE("alignments, accumulations, short filters, the skip term") {
  for (const int alignment : {2, 4, 8}) {
    ConvConfig config = config_of({4096, 2048 + alignment / 2, Padding::padded, Gating::both});
    config.row_alignment = alignment;
    require_accurate(config, 2, 1);
  }
  for (const Accumulation accumulation : {Accumulation::fp16, Accumulation::fp32}) {
    ConvConfig config = config_of({1024, 1024});
    config.accumulation = accumulation;
    require_accurate(config, 2, 1);
  }
  ConvConfig config = config_of({0, 1000, Padding::causal, Gating::both});
  config.filter_length = 333;
  require_accurate(config, 3, 2);
  Recipe recipe;
  recipe.skip = true;
  CHECK(relative_error(Machine::host(), config_of({512, 512}), recipe, 1) <= bar(DataType::fp16));
}
