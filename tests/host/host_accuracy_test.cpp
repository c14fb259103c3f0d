// Every kind of kernel that the generator emits, run on the host, against float64: the same texts that a GPU runs.
#include <doctest/doctest.h>

#include "conv_run.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"

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
  ConvConfig config =
      config_of({27000, 27000, Padding::circular, Gating::none, DataType::fp16, {2, 30, 30, 15}, "sm_86"});
  CHECK(make_plans(normalised(config)).front().as<MixedRadixPlan>()->outer_digits == 1);
  require_accurate(config, 2, 1);
  config = config_of({625559, 625559, Padding::circular, Gating::none, DataType::fp16, {11, 53, 37, 29}, "sm_86"});
  CHECK(make_plans(normalised(config)).front().as<MixedRadixPlan>()->outer_digits == 2);
  require_accurate(config, 1, 1);
}

namespace {

ConvConfig with_columns(ConvConfig config, int column_length, int batch = 0) {
  config.column_length = column_length;
  config.batch = batch;
  return config;
}

}  // namespace

TEST_CASE("results in place of each of their inputs, whatever the family") {
  const auto machine = Machine::host();
  for (const ConvConfig& config :
       {config_of({1024, 1024}), config_of({8192, 4096, Padding::padded}),
        config_of({1024, 1024, Padding::circular, Gating::both}),
        config_of({5120, 2560, Padding::padded, Gating::both}),
        config_of({8192, 8192, Padding::circular, Gating::both}),
        config_of({997, 997, Padding::circular, Gating::both}),
        config_of({30000, 30000, Padding::circular, Gating::both, DataType::fp16, {}, "sm_86"}),
        with_columns(config_of({8192, 8192, Padding::circular, Gating::both}), 16),
        with_columns(config_of({8192, 4096, Padding::padded, Gating::both}), 16, 1),
        with_columns(config_of({8192, 8192, Padding::circular, Gating::both}), 2)}) {
    const auto kernel = get_kernel(config, machine->device());
    CAPTURE(kernel->name());
    const auto length = static_cast<std::size_t>(config.length);
    std::mt19937 random(1);
    const auto samples = [&] {
      std::vector<std::uint16_t> rows(3 * length);
      for (std::uint16_t& sample : rows) sample = examples::to_fp16(normal(random));
      return rows;
    };
    const std::vector<std::vector<std::uint16_t>> inputs = {samples(), samples(), samples()};
    std::vector<float> k(static_cast<std::size_t>(kernel->config().filter_length));
    for (float& tap : k) tap = normal(random);
    const Buffer y = Buffer::of(machine, std::vector<std::uint16_t>(3 * length, 0xFFFF)), taps = Buffer::of(machine, k);
    Buffer buffers[3];
    LaunchArguments arguments;
    arguments.batch = 3;
    arguments.channels = 1;
    arguments.spectrum = kernel->prepare_filter({taps.at<float>(0), nullptr, kernel->config().filter_length, 1});
    const auto result_in = [&](int place) {
      for (std::size_t i = 0; i < 3; ++i) buffers[i] = Buffer::of(machine, inputs[i]);
      const auto view = [&](const Buffer& buffer) { return TensorView{buffer.data(), config.length, config.length}; };
      arguments.u = view(buffers[0]);
      if (has_in_gate(config.gating)) arguments.w = view(buffers[1]);
      if (has_out_gate(config.gating)) arguments.v = view(buffers[2]);
      const Buffer& target = place < 0 ? y : buffers[place];
      arguments.y = {target.data(), config.length, config.length};
      kernel->launch(arguments);
      return target.download<std::uint16_t>(0, 3 * length);
    };
    const std::vector<std::uint16_t> expected = result_in(-1);
    for (int place = 0; place < (config.gating == Gating::none ? 1 : 3); ++place)
      CHECK_MESSAGE(result_in(place) == expected, place);
    arguments.y = {buffers[0].at<std::uint16_t>(8), config.length, config.length};
    CHECK_THROWS_WITH_AS(kernel->launch(arguments), doctest::Contains("both must be the same rows"), LaunchError);
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
