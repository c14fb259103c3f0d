// Rows far from 1: powers of two that launches give, and those that kernels find.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backward_run.hpp"
#include "host_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

ConvConfig config_of(std::int64_t n, DataType dtype, Gating gating, Scaling scaling) {
  ConvConfig config;
  config.fft_length = n;
  config.dtype = dtype;
  config.gating = gating;
  config.scaling = scaling;
  return config;
}

Recipe rows_of_size(int exponent) {
  Recipe recipe;
  recipe.batch = 3;
  recipe.sample = [exponent](std::mt19937& random) { return std::ldexp(normal(random), exponent); };
  return recipe;
}

// y of rows of about 2^exponent, whose largest magnitude is said to be 2^`bound`.
double given_error(const ConvConfig& config, int exponent, int bound) {
  const auto kernel = get_kernel(config, machine()->device());
  const Buffer magnitudes = Buffer::of(machine(), std::vector<float>{std::ldexp(1.0f, bound)});
  return relative_error_of(machine(), *kernel, rows_of_size(exponent), 11, [&](LaunchArguments arguments) {
    arguments.input_magnitudes.data = magnitudes.at<float>(0);
    kernel->launch(arguments);
  });
}

}  // namespace

TEST_CASE("bf16 rows of any size, with magnitudes that are given") {
  for (const std::int64_t n : {992, 1024, 4096})
    for (const Gating gating : {Gating::none, Gating::both}) {
      const ConvConfig config = config_of(n, DataType::bf16, gating, Scaling::given);
      for (const int exponent : {-100, -27, 0, 17, 100}) {
        CAPTURE(n);
        CAPTURE(exponent);
        for (const int bound : {exponent - 2, exponent + 2, exponent + 6})
          CHECK(given_error(config, exponent, bound) <= bar(DataType::bf16));
      }
    }
}

TEST_CASE("fp16 rows, whose results fp16 must hold") {
  const ConvConfig config = config_of(4096, DataType::fp16, Gating::none, Scaling::given);
  for (const int exponent : {-8, 0, 10}) CHECK(given_error(config, exponent, exponent + 2) <= bar(DataType::fp16));
}

TEST_CASE("a magnitude of zero or none, or one that is not finite, leaves rows as they are") {
  const ConvConfig config = config_of(1024, DataType::bf16, Gating::none, Scaling::given);
  const auto kernel = get_kernel(config, machine()->device());
  for (const float magnitude : {0.0f, std::numeric_limits<float>::infinity(), std::nanf("")}) {
    const Buffer magnitudes = Buffer::of(machine(), std::vector<float>{magnitude});
    const double error = relative_error_of(machine(), *kernel, rows_of_size(0), 12, [&](LaunchArguments arguments) {
      arguments.input_magnitudes.data = magnitudes.at<float>(0);
      kernel->launch(arguments);
    });
    CHECK(error <= bar(DataType::bf16));
  }
  CHECK(relative_error(machine(), config, rows_of_size(0), 12) <= bar(DataType::bf16));
}

TEST_CASE("gradients of tiny and of huge rows") {
  for (const std::int64_t n : {1024, 65536}) {
    ConvConfig config = config_of(n, DataType::bf16, Gating::none, Scaling::given);
    config.pass = Pass::backward;
    if (n > 32768) config.fft_length = 8192, config.column_length = 16;  // columns and rows, of a length that is quick
    const auto kernel = get_kernel(config, machine()->device());
    CAPTURE(kernel->name());
    for (const int exponent : {-60, 60}) {
      BackwardRun run(machine(), kernel, rows_of_size(exponent), 13);
      const Buffer magnitudes = Buffer::of(machine(), std::vector<float>{std::ldexp(1.0f, exponent + 2), 4.0f});
      run.arguments().input_magnitudes.data = magnitudes.at<float>(0);
      run.arguments().gradient_magnitudes.data = magnitudes.at<float>(1);
      kernel->launch_backward(run.arguments());
      const GradientErrors errors = run.errors();
      CHECK(errors.u <= rows_bar(DataType::bf16));
      CHECK(errors.k <= sums_bar(DataType::bf16));
    }
  }
}

TEST_CASE("bf16 rows of any size, with powers of two that are found") {
  for (const std::int64_t n : {256, 1024, 4096})
    for (const Gating gating : {Gating::none, Gating::both}) {
      const ConvConfig config = config_of(n, DataType::bf16, gating, Scaling::found);
      for (const int exponent : {-110, -27, 0, 17, 110}) {
        CAPTURE(n);
        CAPTURE(exponent);
        CHECK(relative_error(machine(), config, rows_of_size(exponent), 14) <= bar(DataType::bf16));
      }
    }
}

TEST_CASE("fp16 rows of any size that go alone, with powers of two that are found") {
  for (const std::int64_t n : {256, 1024, 3000})
    for (const Gating gating : {Gating::none, Gating::in, Gating::both}) {
      ConvConfig config = config_of(0, DataType::fp16, gating, Scaling::found);
      config.padding = Padding::causal;
      config.length = n;
      REQUIRE_FALSE(get_kernel(config, machine()->device())->generated().magnitudes);
      for (const int exponent : {-10, 0, 12}) {
        CAPTURE(n);
        CAPTURE(exponent);
        Recipe many = rows_of_size(exponent);  // the bound is of many rows, which scatter
        many.batch = 8, many.channels = 8;
        CHECK(relative_error(machine(), config, many, 14) <= bar(DataType::fp16));
      }
    }
}

namespace {

// Of u and dy, rows of u being about 2^exponent.
void check_gradients(const std::shared_ptr<const Kernel>& kernel, int exponent) {
  CAPTURE(kernel->name());
  CAPTURE(exponent);
  const DataType dtype = kernel->config().dtype;
  BackwardRun run(machine(), kernel, rows_of_size(exponent), 17);
  kernel->launch_backward(run.arguments());
  const GradientErrors errors = run.errors();
  CHECK(errors.u <= rows_bar(dtype));
  CHECK(errors.k <= sums_bar(dtype));
}

}  // namespace

TEST_CASE("gradients of rows of any size, with powers of two that are found") {
  ConvConfig causal = config_of(0, DataType::bf16, Gating::in, Scaling::found);
  causal.padding = Padding::causal;
  causal.length = 3001;
  causal.row_alignment = 2;
  const ConvConfig whole = config_of(1024, DataType::bf16, Gating::none, Scaling::found);
  const ConvConfig in_turn = config_of(32768, DataType::bf16, Gating::none, Scaling::found);
  const ConvConfig folded = config_of(37, DataType::bf16, Gating::none, Scaling::found);
  for (ConvConfig config : {causal, whole, in_turn, folded})
    for (const DataType dtype : {DataType::bf16, DataType::fp16}) {
      config.pass = Pass::backward;
      config.dtype = dtype;
      const auto kernel = get_kernel(config, machine()->device());
      REQUIRE_FALSE(kernel->generated().magnitudes);
      const bool bf16 = dtype == DataType::bf16;
      for (const int exponent : {bf16 ? -90 : -10, bf16 ? 60 : 8}) check_gradients(kernel, exponent);
    }
}

namespace {

constexpr int nothing = std::numeric_limits<int>::min();  // the exponent of a row of zeros

// Rows of u of about these powers of two, one channel.
Recipe rows_of_sizes(const std::vector<int>& exponents, std::int64_t length) {
  Recipe recipe;
  recipe.batch = static_cast<int>(exponents.size());
  recipe.channels = 1;
  recipe.sample = [exponents, length, sample = std::int64_t{0}](std::mt19937& random) mutable {
    const int exponent = exponents[static_cast<std::size_t>(sample++ / length) % exponents.size()];
    return exponent == nothing ? 0.0f : std::ldexp(normal(random), exponent);
  };
  return recipe;
}

}  // namespace

TEST_CASE("sums of pairs whose sizes rise, fall and are nothing are those of all") {
  for (const std::int64_t length : {300, 1000, 4096, 8192}) {
    ConvConfig config = config_of(0, DataType::bf16, Gating::none, Scaling::found);
    config.padding = Padding::causal;
    config.length = length;
    config.pass = Pass::backward;
    const auto kernel = get_kernel(config, machine()->device());
    REQUIRE(kernel->source().find("sums_unit.take") != std::string::npos);
    for (const std::vector<int>& exponents : std::vector<std::vector<int>>{{-3, -3, -2, -1, 0, 0, 1, 3},
                                                                           {3, 1, 0, 0, -1, -2, -3, -3},
                                                                           {-90, -90, -50, -50, 20, 20, 90, 90},
                                                                           {90, 90, 20, 20, -50, -50, -90, -90},
                                                                           {nothing, nothing, -80, -80, -79, -81},
                                                                           {-80, -80, nothing, nothing, -79, -81}}) {
      CAPTURE(kernel->name());
      CAPTURE(exponents.front());
      BackwardRun run(machine(), kernel, rows_of_sizes(exponents, length), 18);
      kernel->launch_backward(run.arguments());
      const GradientErrors errors = run.errors();
      CHECK(errors.u <= rows_bar(DataType::bf16));
      CHECK(errors.k <= sums_bar(DataType::bf16));
    }
  }
}

namespace {

// Of rows whose last sample is the largest by far and comes round, gated or not.
void require_measured_ends(std::int64_t length, Gating gating) {
  ConvConfig config = config_of(0, DataType::bf16, gating, Scaling::found);
  config.padding = Padding::causal;
  config.length = length;
  config.row_alignment = 2;
  const auto kernel = get_kernel(config, machine()->device());
  CAPTURE(kernel->name());
  REQUIRE(kernel->source().find("ends.sample(EndOf::u") != std::string::npos);
  Recipe recipe = rows_of_size(0);
  recipe.sample = [length, sample = std::int64_t{0}](std::mt19937& random) mutable {
    return ++sample % length == 0 ? 0x1p40f : normal(random);
  };
  // It meets one tap of all, so noise is large beside it; unmeasured it would not be finite.
  constexpr double bound = 0.3;
  CHECK(relative_error(machine(), config, recipe, 19) <= bound);
  config.pass = Pass::backward;
  const auto gradients = get_kernel(config, machine()->device());
  REQUIRE(gradients->source().find("ends.sample(EndOf::u") != std::string::npos);
  BackwardRun run(machine(), gradients, recipe, 20);
  gradients->launch_backward(run.arguments());
  CHECK(run.errors().k <= bound);
}

}  // namespace

TEST_CASE("what comes round of a delayed row is measured with it") {
  for (const std::int64_t length : {1023, 2047, 4095})  // of a warp; of a pair; of a row alone
    for (const Gating gating : {Gating::none, Gating::in, Gating::both}) require_measured_ends(length, gating);
}

TEST_CASE("rows of any size that another kernel measures") {
  ConvConfig split = config_of(8192, DataType::bf16, Gating::none, Scaling::found);
  split.column_length = 16;
  ConvConfig general = config_of(37, DataType::bf16, Gating::none, Scaling::found);
  general.radices = {37};
  for (const ConvConfig& config : {split, general}) {
    REQUIRE(get_kernel(config, machine()->device())->generated().magnitudes);
    for (const int exponent : {-110, -27, 17, 110})
      CHECK(relative_error(machine(), config, rows_of_size(exponent), 16) <= bar(DataType::bf16));
  }
  for (const DataType dtype : {DataType::bf16, DataType::fp16}) {
    split.dtype = dtype;
    split.pass = Pass::backward;
    const auto kernel = get_kernel(split, machine()->device());
    REQUIRE(kernel->generated().magnitudes);
    const bool bf16 = dtype == DataType::bf16;
    for (const int exponent : {bf16 ? -60 : -8, bf16 ? 60 : 6}) check_gradients(kernel, exponent);
  }
}

namespace {

// What a launch of two rows of one channel and the filter 1, 0, 0, ... makes of them: themselves.
std::vector<std::uint16_t> passed_through(const std::vector<std::uint16_t>& u, std::int64_t n) {
  const auto kernel = get_kernel(config_of(n, DataType::bf16, Gating::none, Scaling::found), machine()->device());
  std::vector<float> taps(static_cast<std::size_t>(n), 0.0f);
  taps[0] = 1;
  const Buffer k = Buffer::of(machine(), taps), samples = Buffer::of(machine(), u);
  Buffer y(machine(), 2 * u.size());
  y.poison();
  LaunchArguments arguments;
  arguments.u = {samples.data(), n, n};
  arguments.y = {y.data(), n, n};
  arguments.batch = 2;
  arguments.channels = 1;
  arguments.spectrum = kernel->prepare_filter({k.at<float>(0), nullptr, n, 1});
  kernel->launch(arguments);
  return y.download<std::uint16_t>(0, u.size());
}

}  // namespace

TEST_CASE("a row of zeros stays one, beside a row of any size") {
  constexpr std::int64_t n = 4096;
  std::mt19937 random(15);
  for (const int exponent : {-100, 100}) {
    std::vector<std::uint16_t> u(2 * n, 0);
    for (std::size_t i = 0; i < n; ++i) u[i] = examples::encode(DataType::bf16, std::ldexp(normal(random), exponent));
    const std::vector<std::uint16_t> y = passed_through(u, n);
    examples::RelativeError error;
    double leaked = 0;
    for (std::size_t i = 0; i < n; ++i) {
      error.add(std::vector<double>{examples::decode(DataType::bf16, y[i])},
                std::vector<double>{examples::decode(DataType::bf16, u[i])});
      leaked = std::max(leaked, std::abs(std::ldexp(double{examples::decode(DataType::bf16, y[n + i])}, -exponent)));
    }
    CHECK(error.value() <= bar(DataType::bf16));
    // What rounding leaves of the partner is scaled as the row of zeros is, not as the partner.
    if (exponent > 0) CHECK(leaked <= 1e-20);
  }
}
