// Gradients of rows alone past one block, at frequencies k + 1/4, forced on short ones and run on the host, against
// float64. The spectrum is that of the convolution.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "backward_run.hpp"
#include "ffc/generator/generate.hpp"
#include "ffc/runtime/host.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

struct Case {
  int column_length, row_length;
  std::int64_t length = 0;  ///< 0: as many as points
  Padding padding = Padding::causal;
  Gating gating = Gating::none;
  DataType dtype = DataType::fp16;
  std::string_view gradients = "du,dw,dv,dk,dd";
};

// The hint of a batch of one chooses the plan; a launch may have any.
ConvConfig config_of(const Case& test) {
  ConvConfig config;
  const std::int64_t points = std::int64_t{test.column_length} * test.row_length;
  config.column_length = test.column_length;
  config.fft_length = 2 * points;
  config.length = test.length > 0 ? test.length : points;
  config.padding = test.padding;
  config.gating = test.gating;
  config.dtype = test.dtype;
  config.batch = 1;
  config.pass = Pass::backward;
  config.gradients = parse_gradients(test.gradients);
  return config;
}

void require_accurate(const ConvConfig& config, int batch, int channels) {
  static unsigned seed = 1;
  CAPTURE(to_string(config));
  CAPTURE(batch);
  const auto kernel = get_kernel(config, Machine::host()->device());
  REQUIRE(kernel->generated().split);
  REQUIRE(kernel->generated().split->packing == Packing::right_angle);
  const GradientErrors errors = gradient_errors(Machine::host(), config, recipe_of(batch, channels), seed++);
  check_errors(errors, config.dtype);
}

}  // namespace

TEST_CASE("plain, any batch: no row needs a partner") {
  require_accurate(config_of({16, 256, 0, Padding::causal, Gating::none, DataType::fp16, "du,dk"}), 2, 1);
  require_accurate(config_of({16, 256, 0, Padding::causal, Gating::none, DataType::fp16, "du,dk"}), 1, 2);
  require_accurate(config_of({16, 256}), 5, 3);
}

TEST_CASE("the convolution's spectrum serves, and all its rows of frequencies have sums") {
  for (const Case& test :
       {Case{16, 256}, Case{48, 512, 20000, Padding::padded, Gating::both}, Case{128, 8192, 0, Padding::padded}}) {
    ConvConfig config = config_of(test);
    config.arch = "sm_90a";
    const Generated gradients = generate(config);
    REQUIRE(gradients.backward);
    CHECK(gradients.backward->sums_bytes == 8 * test.column_length * test.row_length);
    CHECK(gradients.backward->pairs(3) == 3);
    CHECK(gradients.split->pair_bytes() == 4 * test.column_length * test.row_length);
    config.pass = Pass::forward;
    CHECK(generate(config).spectrum_tag == gradients.spectrum_tag);
  }
}

TEST_CASE("circular rows: a tap has two places, of which one reaches back") {
  for (const auto& [length, gating] : {std::pair{33337, Gating::none}, std::pair{35000, Gating::both}}) {
    ConvConfig config;
    config.fft_length = length;
    config.gating = gating;
    config.pass = Pass::backward;
    config.gradients = parse_gradients(gating == Gating::none ? "du,dk,dd" : "du,dw,dv,dk");
    require_accurate(config, 3, 1);
  }
}

TEST_CASE("gates, both types") {
  require_accurate(config_of({16, 256, 0, Padding::causal, Gating::both}), 3, 2);
  require_accurate(config_of({32, 256, 0, Padding::padded, Gating::both, DataType::bf16}), 3, 1);
  require_accurate(config_of({32, 256, 0, Padding::causal, Gating::none, DataType::bf16}), 2, 2);
  require_accurate(config_of({16, 256, 0, Padding::padded, Gating::in}), 2, 2);
  require_accurate(config_of({16, 256, 0, Padding::causal, Gating::out, DataType::bf16}), 2, 1);
}

TEST_CASE("columns of several lengths") {
  for (const int column_length : {48, 256, 1024})
    require_accurate(config_of({column_length, 256, 0, Padding::causal, Gating::none, DataType::fp16, "du,dv,dk"}), 2,
                     1);
}

// Padded rows, as those of a causal batch of one have no sums.
TEST_CASE("rows of several kinds") {
  for (const int row_length : {512, 1792, 2048, 2304, 4096})
    require_accurate(config_of({16, row_length, 0, Padding::padded, Gating::none, DataType::fp16, "du,dv,dk"}), 3, 1);
  require_accurate(config_of({16, 16384, 0, Padding::causal, Gating::none, DataType::fp16, "du,dk"}), 1, 1);
}

TEST_CASE("rows that end within the points, odd alignments") {
  require_accurate(config_of({32, 256, 5001, Padding::causal, Gating::both}), 3, 2);
  require_accurate(config_of({32, 256, 8189, Padding::causal, Gating::in, DataType::bf16}), 3, 1);
  require_accurate(config_of({32, 256, 4097}), 2, 2);  // one sample more than half of them
  require_accurate(config_of({64, 256, 16002, Padding::padded, Gating::both}), 2, 1);
  ConvConfig config = config_of({16, 256, 0, Padding::causal, Gating::both});
  config.row_alignment = 2;
  require_accurate(config, 3, 1);
}

TEST_CASE("few taps, as many as there is room for, and some that reach nothing") {
  ConvConfig config = config_of({32, 256});
  for (const std::int64_t taps : {8192, 100, 1}) {
    config.filter_length = taps;
    require_accurate(config, 2, 2);
  }
  config = config_of({32, 256, 5001, Padding::causal, Gating::both});
  config.filter_length = 16384 - 5000;
  require_accurate(config, 1, 2);
}

TEST_CASE("taps behind a padded row's reach back, from N - L + 1 on, and have two places") {
  for (const std::int64_t length : {8192, 5001}) {
    ConvConfig config = config_of({32, 256, length, Padding::padded});
    for (const std::int64_t taps : {length, 16384 - length + 1, 16384 - length + 2, std::int64_t{16384}}) {
      CAPTURE(taps);
      config.filter_length = taps;
      require_accurate(config, 1, 2);
    }
  }
}

TEST_CASE("what is wanted alone, and nothing else is written") {
  for (const std::string_view wanted : {"du", "dw", "dv", "dk", "dd", "du,dv", "dv,dd"})
    require_accurate(config_of({16, 256, 0, Padding::causal, Gating::both, DataType::fp16, wanted}), 3, 2);
}

TEST_CASE("slices of a large batch, in more channels than take turns") {
  require_accurate(config_of({16, 256, 0, Padding::causal, Gating::none, DataType::fp16, "du,dk"}), 41, 3);
  require_accurate(config_of({16, 256, 0, Padding::causal, Gating::none, DataType::fp16, "du,dk"}), 4, 19);
}

TEST_CASE("gradients far from 1 keep their accuracy with an exponent") {
  ConvConfig config = config_of({16, 256, 0, Padding::causal, Gating::both, DataType::bf16});
  config.gradient_exponent = 30;
  require_accurate(config, 2, 1);
  config.gating = Gating::none;
  config.input_exponent = -5;
  config.gradient_exponent = -3;
  require_accurate(config, 2, 1);
}

TEST_CASE("accumulation in fp32; another arch") {
  ConvConfig config = config_of({16, 256});
  config.accumulation = Accumulation::fp32;
  require_accurate(config, 2, 1);
  config.arch = "sm_80";
  require_accurate(config, 3, 1);
}

TEST_CASE("the same inputs give the same bits whatever the workspace and the order of the warps") {
  check_same_bits(config_of({16, 256, 0, Padding::causal, Gating::both}), 37, 3);
}

TEST_CASE("causal rows as their plans have them") {
  ConvConfig config;
  config.padding = Padding::causal;
  config.pass = Pass::backward;
  config.length = 245761;
  config.gradients = parse_gradients("du,dk");
  config.arch = "sm_90a";
  require_accurate(config, 1, 1);
}
