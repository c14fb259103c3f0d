// Magnitudes of rows past one block: each has a power of two of its own, and gradients take those that forward found.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "backward_run.hpp"
#include "encoded_rows.hpp"
#include "host_run.hpp"

using namespace ffc;
using namespace ffc::conv_tests;

namespace {

constexpr std::int64_t length = 8192;

ConvConfig config_of(Gating gating) {
  ConvConfig config;
  config.padding = Padding::causal;
  config.length = length;
  config.fft_length = 2 * length, config.column_length = 16;  // columns and rows, of a length that is quick
  config.batch = 1;                                           // for which forced columns go alone
  config.dtype = DataType::bf16;
  config.gating = gating;
  config.scaling = Scaling::found;
  return config;
}

// At odd addresses, where columns do not find powers of two of their own.
ConvConfig at_odd_addresses(ConvConfig config) {
  config.length -= 1, config.row_alignment = 2;
  return config;
}

// Rows of the same samples times these powers of two.
using Samples = std::vector<std::uint16_t>;
Samples scaled_rows(const std::vector<int>& exponents, std::int64_t samples) {
  Samples rows;
  for (const int exponent : exponents) {
    std::mt19937 random(23);
    for (std::int64_t i = 0; i < samples; ++i)
      rows.push_back(examples::encode(DataType::bf16, std::ldexp(normal(random), exponent)));
  }
  return rows;
}

}  // namespace

// Of eight rows each lies elsewhere in its lines, and so in its columns: those of one place have the same results.
TEST_CASE("rows that are powers of two apart have the same results, as far apart, to the bit") {
  constexpr std::size_t places = 8;
  std::vector<int> exponents;
  for (const int exponent : {0, -90, 60, -30}) exponents.insert(exponents.end(), places, exponent);
  const auto kernel = get_kernel(at_odd_addresses(config_of(Gating::none)), machine()->device());
  CAPTURE(kernel->name());
  REQUIRE(kernel->generated().magnitudes_of_rows);
  const auto samples = static_cast<std::size_t>(kernel->config().length);
  const Samples y = convolved(machine(), *kernel, scaled_rows(exponents, kernel->config().length),
                              static_cast<int>(exponents.size()));
  double squares = 0;
  for (std::size_t b = 0; b < exponents.size(); ++b) {
    std::size_t differ = 0;
    for (std::size_t i = 0; i < samples; ++i) {
      const double first = examples::decode(DataType::bf16, y[b % places * samples + i]);
      differ += std::ldexp(first, exponents[b]) != examples::decode(DataType::bf16, y[b * samples + i]);
      if (b == 0) squares += first * first;
    }
    CHECK(differ == 0);
  }
  CHECK(squares > 0.3 * static_cast<double>(samples));
}

TEST_CASE("gradients of such rows: sums over them are of their own sizes") {
  for (const Gating gating : {Gating::none, Gating::both})
    for (const int batch : {1, 2, 5}) {
      ConvConfig config = config_of(gating);
      config.length = 33001, config.filter_length = 0;
      config.fft_length = 0, config.column_length = 0;
      config.pass = Pass::backward;
      config.batch = batch;
      const auto kernel = get_kernel(config, machine()->device());
      CAPTURE(kernel->name());
      REQUIRE(kernel->generated().magnitudes_of_rows);
      for (const int step : {-40, 25}) {
        Recipe recipe;
        recipe.batch = batch;
        recipe.channels = 1;
        const auto sized = [step](std::int64_t of_row) {
          return [=, sample = std::int64_t{0}](std::mt19937& random) mutable {
            const auto row = static_cast<int>(sample++ / of_row);
            return std::ldexp(normal(random), row % 3 * step);
          };
        };
        recipe.sample = sized(config.length);
        BackwardRun run(machine(), kernel, recipe, 25);
        kernel->launch_backward(run.arguments());
        const GradientErrors errors = run.errors();
        CHECK(errors.u <= rows_bar(DataType::bf16));
        CHECK(errors.k <= sums_bar(DataType::bf16));
      }
    }
}

TEST_CASE("gradients take the magnitudes that the launch forward found") {
  ConvConfig pairs = config_of(Gating::none);
  pairs.padding = Padding::circular;
  pairs.length = pairs.fft_length = length;
  pairs.batch = 0;
  for (ConvConfig config : {pairs, at_odd_addresses(config_of(Gating::none))}) {
    const auto forward = get_kernel(config, machine()->device());
    CAPTURE(forward->name());
    config.pass = Pass::backward;
    const auto backward = get_kernel(config, machine()->device());
    REQUIRE(forward->generated().magnitudes);
    REQUIRE(backward->generated().magnitudes);
    Recipe recipe;
    recipe.batch = 3;
    recipe.channels = 2;
    recipe.sample = [](std::mt19937& random) { return std::ldexp(normal(random), -80); };
    REQUIRE(forward->magnitudes_count(2, 3) == 6);
    Buffer found(machine(), 6 * sizeof(float));
    found.poison();
    (void)relative_error_of(machine(), *forward, recipe, 17, [&](LaunchArguments arguments) {
      arguments.found_magnitudes = found.at<float>(0);
      forward->launch(arguments);
    });
    for (const float magnitude : found.download<float>(0, 6)) {
      CHECK(magnitude > std::ldexp(2.0f, -80));
      CHECK(magnitude < std::ldexp(8.0f, -80));
    }
    BackwardRun run(machine(), backward, recipe, 17);
    BackwardArguments arguments = run.arguments();
    arguments.input_magnitudes = forward->magnitudes_in(found.at<float>(0), 3);
    REQUIRE(backward->takes(arguments.input_magnitudes));
    backward->launch_backward(arguments);
    const GradientErrors errors = run.errors();
    CHECK(errors.u <= rows_bar(DataType::bf16));
    CHECK(errors.k <= sums_bar(DataType::bf16));
  }
}

// Of rows at all addresses, whose gates lie elsewhere in their lines, each with its largest product at another place:
// ahead of its first whole line, in one, or behind the last.
TEST_CASE("a row's largest product is found wherever it lies") {
  ConvConfig config = config_of(Gating::in);
  config.length = 8181, config.row_alignment = 2;
  const auto kernel = get_kernel(config, machine()->device());
  REQUIRE(kernel->generated().magnitudes);
  const int batch = 48, gate_ahead = 3;
  const std::int64_t samples = config.length, stride = samples + 4, gate_stride = samples + 2;
  std::mt19937 random(26);
  Samples u(static_cast<std::size_t>(batch * stride)), w(static_cast<std::size_t>(batch * gate_stride + gate_ahead));
  const auto fill = [&](Samples& all) {
    for (std::uint16_t& sample : all)
      sample = examples::encode(DataType::bf16, std::uniform_real_distribution<float>(-0.9f, 0.9f)(random));
  };
  fill(u), fill(w);
  std::vector<float> largest;
  for (int row = 0; row < batch; ++row) {
    const std::int64_t at = row < batch / 2 ? row : samples - 1 - (row - batch / 2);
    std::uint16_t& sample = u[static_cast<std::size_t>(row * stride + at)];
    std::uint16_t& gate = w[static_cast<std::size_t>(gate_ahead + row * gate_stride + at)];
    sample = examples::encode(DataType::bf16, -3.0f - static_cast<float>(row) / 16);
    gate = examples::encode(DataType::bf16, 1.25f);
    largest.push_back(static_cast<float>(-examples::decode(DataType::bf16, sample)) * 1.25f);
  }
  const std::vector<float> taps(static_cast<std::size_t>(samples), 1.0f);
  const Buffer k = Buffer::of(machine(), taps), rows = Buffer::of(machine(), u), gates = Buffer::of(machine(), w);
  Buffer y(machine(), 2 * u.size()), found(machine(), sizeof(float) * batch);
  found.poison();
  LaunchArguments arguments;
  arguments.u = {rows.data(), stride, stride};
  arguments.w = {gates.at<std::uint16_t>(gate_ahead), gate_stride, gate_stride};
  arguments.y = {y.data(), stride, stride};
  arguments.batch = batch, arguments.channels = 1;
  arguments.spectrum = kernel->prepare_filter({k.at<float>(0), nullptr, samples, 1});
  arguments.found_magnitudes = found.at<float>(0);
  kernel->launch(arguments);
  CHECK(found.download<float>(0, batch) == largest);
}
