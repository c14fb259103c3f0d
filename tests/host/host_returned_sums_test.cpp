// Gradients whose sums go back to taps with a channel's last row, run on the host against float64.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <utility>

#include "backward_run.hpp"
#include "ffc/runtime/host.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

using Sample = std::function<float(std::mt19937&)>;

// Columns of 16 beside rows of `row_length`.
ConvConfig config_of(int row_length, std::string_view gradients = "du,dk,dd", DataType dtype = DataType::fp16) {
  ConvConfig config;
  config.column_length = 16;
  config.fft_length = 2 * 16 * row_length;
  config.length = 16 * row_length;
  config.padding = Padding::causal;
  config.dtype = dtype;
  config.batch = 1;  // with which forced columns take rows alone
  config.pass = Pass::backward;
  config.gradients = parse_gradients(gradients);
  return config;
}

GradientErrors errors_of(const ConvConfig& config, const Recipe& recipe) {
  static unsigned seed = 1;
  const auto kernel = get_kernel(config, Machine::host()->device());
  REQUIRE(kernel->generated().backward->returns_sums);
  return gradient_errors(Machine::host(), config, recipe, seed++);
}

void require_accurate(const ConvConfig& config, int batch, int channels) {
  CAPTURE(to_string(config));
  CAPTURE(batch);
  check_errors(errors_of(config, recipe_of(batch, channels)), config.dtype);
}

// Samples by their number in a row.
Sample by_number(std::int64_t length, const std::function<float(std::int64_t, std::mt19937&)>& sample) {
  return [=, n = std::int64_t{0}](std::mt19937& random) mutable { return sample(n++ % length, random); };
}

}  // namespace

TEST_CASE("batches of one, of two and of more, with and without dd") {
  for (const int batch : {1, 2, 5}) require_accurate(config_of(2048), batch, 3);
  require_accurate(config_of(2048, "du,dk"), 2, 2);
  require_accurate(config_of(2048, "du,dk"), 40, 1);
}

TEST_CASE("rows of several kinds: frequencies with a phase and without") {
  for (const int row_length : {2048, 2304, 4096, 8192}) {
    require_accurate(config_of(row_length), 2, 1);
    require_accurate(config_of(row_length, "du,dk", DataType::bf16), 1, 2);
  }
}

TEST_CASE("in gates, and rows and taps that end within the points") {
  ConvConfig config = config_of(2048, "du,dw,dk,dd");
  config.gating = Gating::in;
  require_accurate(config, 2, 2);
  config = config_of(2048);
  config.length = 30008;
  for (const std::int64_t taps : {30008, 1001, 8, 1}) {
    config.filter_length = taps;
    require_accurate(config, 2, 2);
  }
}

TEST_CASE("both gates: dv is a convolution, in a launch of its own") {
  ConvConfig config = config_of(2048, "du,dw,dv,dk,dd");
  config.gating = Gating::both;
  require_accurate(config, 1, 2);
  require_accurate(config, 3, 2);
  config.gating = Gating::out, config.gradients = parse_gradients("du,dv,dk");
  config.dtype = DataType::bf16, config.scaling = Scaling::found;
  require_accurate(config, 2, 2);
  config.dtype = DataType::fp16, config.scaling = Scaling::given;
  config.length = 30008;
  require_accurate(config, 1, 2);
}

TEST_CASE("powers of two that a launch has given or found") {
  for (const Scaling scaling : {Scaling::given, Scaling::found}) {
    ConvConfig config = config_of(2048);
    config.scaling = scaling;
    if (scaling == Scaling::found) config.dtype = DataType::bf16;
    require_accurate(config, 2, 2);
  }
}

// Each pair's products are as large, and none of its rows.
TEST_CASE("rows of one channel that are far apart") {
  for (const int row_length : {2048, 4096}) {  // measured ahead, and by tile
    ConvConfig config = config_of(row_length, "du,dk", DataType::bf16);
    config.scaling = Scaling::found;
    Recipe recipe = recipe_of(4, 3);  // an odd number: a channel's rows take turns
    const auto size = [&](std::int64_t n, int sign) {
      return std::ldexp(1.0f, sign * 20 * (n / config.length % 2 == 0 ? 1 : -1));
    };
    recipe.sample = by_number(std::int64_t{1} << 60,
                              [=](std::int64_t n, std::mt19937& random) { return size(n, 1) * normal(random); });
    recipe.gradient_sample = by_number(
        std::int64_t{1} << 60, [=](std::int64_t n, std::mt19937& random) { return size(n, -1) * normal(random); });
    check_errors(errors_of(config, recipe), config.dtype);
  }
}

// Where either has its energy, products have more or less of theirs than rows that are flat.
TEST_CASE("rows of one sample, of one frequency, of a large mean, small and large") {
  const ConvConfig config = config_of(2048, "du,dk", DataType::bf16);
  const std::int64_t length = config.length;
  const Sample impulse =
      by_number(length, [length](std::int64_t n, std::mt19937&) { return n == length - 77 ? 1.0f : 0.0f; });
  const Sample tone = by_number(length, [](std::int64_t n, std::mt19937&) {
    return static_cast<float>(std::cos(2 * std::numbers::pi * 0.1234 * static_cast<double>(n)));
  });
  const Sample shifted = by_number(length, [](std::int64_t, std::mt19937& random) { return 10 + normal(random); });
  const Sample small = by_number(length, [](std::int64_t, std::mt19937& random) { return 1e-12f * normal(random); });
  const Sample large = by_number(length, [](std::int64_t, std::mt19937& random) { return 1e12f * normal(random); });
  const Sample burst = by_number(length, [](std::int64_t n, std::mt19937& random) {
    return n % 4096 < 16 ? 100 * normal(random) : normal(random) / 100;
  });
  int number = 0;
  for (const auto& [u, dy] : {std::pair(&impulse, &impulse), std::pair(&tone, &tone), std::pair(&shifted, &shifted),
                              std::pair(&small, &large), std::pair(&large, &small), std::pair(&burst, &impulse),
                              std::pair(&tone, &impulse), std::pair(&shifted, &burst)}) {
    ++number;
    CAPTURE(number);
    Recipe recipe = recipe_of(2, 2);
    recipe.sample = *u, recipe.gradient_sample = *dy;
    const GradientErrors errors = errors_of(config, recipe);
    CHECK(errors.k <= sums_bar(config.dtype));
  }
}
