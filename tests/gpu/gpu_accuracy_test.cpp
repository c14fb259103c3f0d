// Every kind of kernel against float64 on a GPU: lengths, paddings, gates, types, odd batches, free strides, hard data.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "conv_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvConfig make_config(std::int64_t fft_length, std::int64_t length, Padding padding, Gating gating, DataType dtype) {
  ConvConfig config;
  config.fft_length = fft_length;
  config.length = length;
  config.padding = padding;
  config.gating = gating;
  config.dtype = dtype;
  return config;
}

unsigned next_seed() {
  static unsigned seed = 1;
  return seed++;
}

// Each with as many rows as it takes to tell.
void require_accurate(const std::vector<ConvCase>& cases) {
  const auto device = open_device();
  compile_ahead(device, cases);
  for (const ConvCase& test : cases) {
    const Recipe recipe = with_enough_samples(test.recipe, test.config);
    CAPTURE(to_string(test.config));
    CAPTURE(recipe.batch);
    CAPTURE(recipe.channels);
    CAPTURE(test.data);
    CHECK(relative_error(device, test.config, recipe, next_seed()) <= bar(test.config.dtype));
  }
}

const std::vector<std::int64_t> lengths = {16,   64,   100,   128,   256,   300,   512,   768,   992,   1000,  1024,
                                           1280, 1536, 1792,  2048,  2304,  2560,  3000,  4096,  4097,  5120,  6144,
                                           6656, 8192, 10007, 12288, 16384, 20011, 20480, 24576, 30000, 32749, 32768};

Recipe recipe_for(std::int64_t n, int batch, int channels) {
  Recipe recipe;
  recipe.batch = batch;
  recipe.channels = channels;
  recipe.row_gap = n % 3;  // dense and padded strides
  return recipe;
}

}  // namespace

TEST_CASE("circular convolutions of every length, ungated and gated, both types") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : lengths)
    for (const DataType dtype : {DataType::fp16, DataType::bf16})
      for (const Gating gating : {Gating::none, Gating::both})
        cases.push_back(
            {make_config(n, n, Padding::circular, gating, dtype), recipe_for(n, gating == Gating::none ? 5 : 2, 3)});
  require_accurate(cases);
}

TEST_CASE("zero-padded and causal convolutions") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : lengths) {
    cases.push_back({make_config(n, n / 2, Padding::padded, Gating::none, DataType::fp16), recipe_for(n, 3, 2)});
    cases.push_back({make_config(n, n / 2, Padding::padded, Gating::both, DataType::bf16), recipe_for(n, 1, 1)});
    cases.push_back({make_config(n, n - 3, Padding::padded, Gating::in, DataType::fp16), recipe_for(n, 2, 1)});
    if (n <= 16384) {
      cases.push_back({make_config(0, n, Padding::causal, Gating::out, DataType::fp16), recipe_for(n, 3, 1)});
      cases.push_back({make_config(0, n, Padding::causal, Gating::none, DataType::bf16), recipe_for(n, 2, 2)});
    }
  }
  require_accurate(cases);
}

TEST_CASE("short filters, odd rows") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {1000, 4096, 8192, 20000}) {
    ConvConfig config = make_config(0, n - 7, Padding::causal, Gating::both, DataType::fp16);
    config.filter_length = 333;
    cases.push_back({config, recipe_for(n, 3, 2)});
  }
  require_accurate(cases);
}

TEST_CASE("forced radices") {
  std::vector<ConvCase> cases;
  const std::vector<std::vector<int>> factorisations = {
      {16, 16},    {4, 16, 16}, {8, 16, 16}, {16, 16, 16},     {16, 2, 16, 16}, {2, 8, 16, 16}, {31, 32},
      {7, 11, 13}, {32, 32},    {64, 5},     {11, 11, 11, 11}, {5, 5, 40},      {2, 3, 7, 61}};
  for (const std::vector<int>& radices : factorisations) {
    std::int64_t n = 1;
    for (const int radix : radices) n *= radix;
    for (const Gating gating : {Gating::none, Gating::both}) {
      ConvConfig config = make_config(n, n, Padding::circular, gating, DataType::fp16);
      config.radices = radices;
      cases.push_back({config, recipe_for(n, 3, 2)});
      config.padding = Padding::padded;
      config.length = n / 2;
      cases.push_back({config, recipe_for(n, 2, 1)});
    }
  }
  require_accurate(cases);
}

TEST_CASE("both accumulations, every alignment of rows") {
  std::vector<ConvCase> cases;
  for (const Accumulation accumulation : {Accumulation::fp16, Accumulation::fp32})
    for (const std::int64_t n : {256, 1024, 4096}) {
      ConvConfig config = make_config(n, n, Padding::circular, Gating::both, DataType::fp16);
      config.accumulation = accumulation;
      cases.push_back({config, recipe_for(n, 2, 2)});
    }
  for (const int alignment : {2, 4, 8, 16}) {
    ConvConfig config = make_config(4096, 2048 + alignment / 2, Padding::padded, Gating::both, DataType::fp16);
    config.row_alignment = alignment;
    cases.push_back({config, recipe_for(4097, 3, 2)});
  }
  require_accurate(cases);
}

TEST_CASE("skip term, small and large filters, many rows") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {512, 4096, 6144, 32768})
    for (const double scale : {1e-4, 1.0, 100.0}) {
      Recipe recipe = recipe_for(n, 4, 3);
      recipe.skip = true;
      recipe.filter_scale = scale;
      cases.push_back(
          {make_config(n, n, Padding::circular, Gating::none, scale > 1 ? DataType::bf16 : DataType::fp16), recipe});
    }
  cases.push_back({make_config(1024, 1024, Padding::circular, Gating::none, DataType::fp16), recipe_for(1, 67, 150)});
  cases.push_back({make_config(8192, 8192, Padding::circular, Gating::both, DataType::fp16), recipe_for(1, 9, 140)});
  require_accurate(cases);
}

TEST_CASE("a large mean, one outlier, the ends of the documented range") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {256, 1024, 4096, 8192, 32768}) {
    const auto limit = static_cast<float>(65504.0 / std::sqrt(2.0 * static_cast<double>(n)));
    const std::vector<std::pair<const char*, std::function<float(std::mt19937&)>>> data = {
        {"large mean",
         [count = std::int64_t{0}, mean = 0.0f, n](std::mt19937& random) mutable {
           // Every row has a mean of its own: the constant part of one row is a single rounding path.
           if (count++ % n == 0) mean = std::uniform_real_distribution<float>(5, 15)(random);
           return mean + normal(random);
         }},
        {"outlier", [count = std::int64_t{0},
                     n](std::mt19937& random) mutable { return count++ % n == n / 3 ? 200.0f : normal(random); }},
        {"near the top",
         [limit](std::mt19937& random) {
           return 0.95f * limit * std::uniform_real_distribution<float>(-1, 1)(random);
         }},
        {"small", [](std::mt19937& random) { return normal(random) / 128; }}};
    for (const auto& [name, sample] : data)
      for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
        // What a row of a large mean loses is that of a few roundings: it takes many rows to tell how much.
        Recipe recipe = recipe_for(3, 5, 40);
        recipe.sample = sample;
        // Outputs of rows near the top stay within fp16 where the filter's gain is small.
        recipe.filter_scale = 0.2;
        cases.push_back({make_config(n, n, Padding::circular, Gating::none, dtype), recipe, name});
      }
  }
  require_accurate(cases);
}

TEST_CASE("input_exponent moves the range") {
  std::vector<ConvCase> cases;
  ConvConfig config = make_config(4096, 4096, Padding::circular, Gating::none, DataType::bf16);
  config.input_exponent = -12;
  Recipe recipe = recipe_for(3, 3, 2);
  recipe.sample = [](std::mt19937& random) { return 40000 * normal(random); };
  cases.push_back({config, recipe});
  config.input_exponent = 12;
  recipe.sample = [](std::mt19937& random) { return 1e-6f * normal(random); };
  cases.push_back({config, recipe});
  require_accurate(cases);
}

TEST_CASE("a product of any sign decides a gated row's power of two, wherever it is") {
  std::vector<ConvCase> cases;
  for (const std::int64_t n : {64, 1024, 4096, 8192, 32768, 65536})
    for (const int place : {8, 10, 15})
      for (const float outlier : {-20000.0f, 20000.0f}) {
        ConvCase test = {make_config(0, n, Padding::causal, Gating::in, DataType::bf16), recipe_for(0, 3, 2)};
        test.data = fmt::format("{} at {} of 64", outlier, place);
        std::int64_t made = 0;  // a row is a multiple of 64
        test.recipe.sample = [=](std::mt19937& random) mutable {
          return made++ % 64 == place ? outlier : 0.5f * normal(random);
        };
        test.recipe.gate_sample = [](std::mt19937& random) { return 0.5f + std::abs(normal(random)); };
        cases.push_back(test);
      }
  require_accurate(cases);
}
