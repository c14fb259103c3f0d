// Plans interpreted in float64 against the circular convolution's definition.
#include "ffc/generator/interpreter.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "complex_rows.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"
#include "listed_plan.hpp"
#include "steps.hpp"

using namespace ffc;
using namespace ffc::test;

namespace {

// The definitions, O(N^2), independent of digits.
Row direct_dft(const Row& row) {
  const std::size_t size = row.size();
  Row roots(size);
  for (std::size_t i = 0; i < size; ++i)
    roots[i] = std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size));
  Row result(size);
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t n = 0; n < size; ++n) result[k] += row[n] * roots[n * k % size];
  return result;
}

Row direct_convolution(const Row& row, const Row& filter, std::size_t length) {
  const std::size_t size = row.size();
  Row result(length);
  for (std::size_t n = 0; n < length; ++n)
    for (std::size_t m = 0; m < length; ++m) result[n] += row[m] * filter[(n + size - m) % size];
  return result;
}

Plan tiled_plan(int butterfly, int tile, std::int64_t length = 0) {
  InBlockPlan plan;
  plan.outer_butterfly = butterfly;
  plan.outer_tile = tile;
  std::vector<int> radices = {butterfly, tile};
  if (plan.tile_first()) std::swap(radices[0], radices[1]);
  std::erase(radices, 1);
  radices.insert(radices.end(), {16, 16});
  plan.digits = make_digits(radices);
  plan.transform_length = 256 * butterfly * tile;
  plan.length = length == 0 ? plan.transform_length : length;
  plan.steps = tiled_steps(plan);
  return plan;
}

// The cheapest plan of columns of `column_length`, 0 for any, rows behind them and columns back.
Plan split_plan(std::int64_t transform_length, int column_length, std::int64_t length = 0) {
  ConvConfig config;
  config.fft_length = transform_length;
  config.column_length = column_length;
  config.length = length;
  config.padding = length == 0 ? Padding::circular : Padding::padded;
  config.arch = "sm_90a";
  Plan plan = make_plans(normalised(config)).front();
  REQUIRE((plan.family() == Family::split || plan.family() == Family::cluster));
  return plan;
}

// A filter of a few taps, whose convolutions and spectrum are quickly written down for any length.
double error_with_few_taps(const Plan& plan) {
  const auto size = static_cast<std::size_t>(plan->transform_length), length = static_cast<std::size_t>(plan->length);
  const std::vector<std::pair<std::size_t, Complex>> taps = {
      {0, 0.5}, {1, {0, 1}}, {size / 3, {-0.7, 0.3}}, {size - 1, 1}};
  const Row row = random_row(size, 6);
  Row spectrum(size), expected(length);
  for (const auto& [delay, tap] : taps) {
    for (std::size_t k = 0; k < size; ++k)
      spectrum[k] += tap * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k * delay % size) /
                                               static_cast<double>(size));
    for (std::size_t m = 0; m < length; ++m)
      if (const std::size_t n = (m + delay) % size; n < length) expected[n] += tap * row[m];
  }
  return distance(interpret(plan, row, spectrum), expected);
}

// Random data for plans of one length, and what the definition makes of it.
struct Problem {
  explicit Problem(const Plan& plan)
      : row(random_row(static_cast<std::size_t>(plan->transform_length), 1)),
        filter(random_row(row.size(), 2)),
        spectrum(direct_dft(filter)),
        expected(direct_convolution(row, filter, static_cast<std::size_t>(plan->length))) {}

  [[nodiscard]] double error_of(const Plan& plan) const { return distance(interpret(plan, row, spectrum), expected); }

  Row row, filter, spectrum, expected;
};

double error_of(const Plan& plan) { return Problem(plan).error_of(plan); }

}  // namespace

TEST_CASE("the reference transform turns convolutions into products") {
  // Guards the reference itself: a wrong sign in direct_dft would otherwise be the plan's fault.
  const Row row = random_row(30, 3);
  const Row shifted = direct_convolution(
      row,
      [] {
        Row filter(30);
        filter[7] = 1;
        return filter;
      }(),
      30);
  for (std::size_t n = 0; n < 30; ++n) CHECK(shifted[(n + 7) % 30] == row[n]);
  const Row spectrum = direct_dft(shifted), original = direct_dft(row);
  for (std::size_t k = 0; k < 30; ++k)
    CHECK(std::abs(spectrum[k] - original[k] * std::polar(1.0, -2 * std::numbers::pi * 7.0 * double(k) / 30)) < 1e-12);
}

TEST_CASE("general plans are circular convolutions") {
  const std::vector<std::vector<int>> cases = {
      {16},    {31},     {2, 8},   {8, 2},     {3, 5, 7},    {16, 16},        {13, 11, 3},
      {64, 8}, {24, 20}, {31, 32}, {2, 3, 61}, {10, 10, 10}, {4, 4, 4, 4, 4}, {2, 2, 2, 3, 3, 5, 5},
      {32, 48}};
  for (const auto& radices : cases) {
    const Plan plan = general_plan(radices);
    CAPTURE(factorisation_name(*plan));
    CHECK(error_of(plan) < 1e-12);
  }
}

TEST_CASE("tiled plans are circular convolutions") {
  for (const int butterfly : {1, 2, 3, 4, 5, 6, 7, 8})
    for (const int tile : {1, 3, 8, 9, 11}) {
      // The reference is slow; larger products of the two differ in no step.
      const bool both_orders = butterfly == 2 && tile >= 8;
      if (butterfly * tile > 11 && !both_orders) continue;
      const Plan plan = tiled_plan(butterfly, tile);
      CAPTURE(factorisation_name(*plan));
      CHECK(error_of(plan) < 1e-12);
    }
}

TEST_CASE("split plans are circular convolutions") {
  CHECK(error_of(split_plan(4096, 16)) < 1e-12);
  for (const int butterfly : {1, 2, 3, 5, 7, 8, 16, 32}) {
    const Plan plan = split_plan(std::int64_t{4096} * butterfly, 16 * butterfly);
    CAPTURE(factorisation_name(*plan));
    CHECK(plan.columns_and_rows()->row_count() == 16 * butterfly);
    CHECK(plan.columns_and_rows()->row_plan.transform_length == 256);
    CHECK(error_with_few_taps(plan) < 1e-12);
  }
  for (const std::int64_t row_length : {512, 768, 2304, 4096})
    CHECK(error_with_few_taps(split_plan(16 * row_length, 16)) < 1e-12);
  CHECK(error_with_few_taps(split_plan(12288, 48, 6144)) < 1e-12);
  CHECK(error_with_few_taps(split_plan(8192, 32, 5001)) < 1e-12);
  CHECK(error_with_few_taps(split_plan(65536, 0)) < 1e-12);
  CHECK(error_with_few_taps(split_plan(65536, 256)) < 1e-12);
  CHECK(error_with_few_taps(split_plan(110592, 0, 60000)) < 1e-12);
}

TEST_CASE("clusters, and rows alone at frequencies k + 1/4, whose real part is a padded convolution") {
  CHECK(split_plan(65536, 0).family() == Family::cluster);
  CHECK(error_with_few_taps(split_plan(8192, 2)) < 1e-12);
  CHECK(error_with_few_taps(split_plan(32768, 8, 20000)) < 1e-12);
  ConvConfig in_one_block;
  in_one_block.fft_length = 16384;
  in_one_block.length = 6000;
  in_one_block.padding = Padding::padded;
  in_one_block.radices = {16, 2, 16, 16};
  in_one_block.arch = "sm_90a";
  for (const Plan& plan :
       {split_plan(16384, 2, 8192), split_plan(16384, 2, 7001), make_plans(normalised(in_one_block)).front()}) {
    REQUIRE(plan->right_angle());
    const auto length = static_cast<std::size_t>(plan->length);
    const auto points = static_cast<std::size_t>(plan->transform_length);
    Row row = random_row(points, 8), spectrum(points), expected(length), real(length);
    const std::vector<std::pair<std::size_t, double>> taps = {{0, 0.5}, {1, -1.5}, {points / 3, 0.7}, {length - 1, 1}};
    for (Complex& sample : row) sample = sample.real();
    for (const auto& [delay, tap] : taps) {
      for (std::size_t k = 0; k < points; ++k)
        spectrum[k] += tap * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>((4 * k + 1) * delay) /
                                                 static_cast<double>(4 * points));
      for (std::size_t n = delay; n < length; ++n) expected[n] += tap * row[n - delay];
    }
    const Row result = interpret(plan, row, spectrum);
    for (std::size_t n = 0; n < length; ++n) real[n] = result[n].real();
    CHECK(distance(real, expected) < 1e-11);
    Plan wrong = plan;
    wrong->packing = Packing::two_rows;
    const Row other = interpret(wrong, row, spectrum);
    for (std::size_t n = 0; n < length; ++n) real[n] = other[n].real();
    CHECK(distance(real, expected) > 0.1);
  }
}

TEST_CASE("windows alone: behind the halo, i times their polynomial modulo x^P = -i is a causal convolution") {
  for (const std::vector<int>& radices : {std::vector<int>{9, 16, 16}, {16, 2, 16, 16}}) {
    ConvConfig config;
    config.padding = Padding::causal;
    config.length = 1 << 20;
    config.filter_length = 1000;
    config.radices = radices;
    config.fft_length = 2;
    for (const int radix : radices) config.fft_length *= radix;
    config.arch = "sm_90a";
    const Plan plan = make_plans(normalised(config)).front();
    REQUIRE(plan->right_angle());
    const auto points = static_cast<std::size_t>(plan->transform_length);
    const auto halo = static_cast<std::size_t>(plan->windows->halo());
    const Row samples = random_row(2 * points, 9);
    Row row(points), spectrum(points);
    for (std::size_t n = 0; n < points; ++n) row[n] = {samples[points + n].real(), samples[n].real()};
    const std::vector<std::pair<std::size_t, double>> taps = {{0, 0.5}, {1, -1.5}, {500, 0.7}, {999, 1}};
    for (const auto& [delay, tap] : taps)
      for (std::size_t k = 0; k < points; ++k)
        spectrum[k] += tap * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>((4 * k + 1) * delay) /
                                                 static_cast<double>(4 * points));
    const auto error_of_window = [&](const Plan& made) {
      const Row result = interpret(made, row, spectrum);
      Row window, expected;
      for (std::size_t n = halo; n < 2 * points; ++n) {
        window.emplace_back(n < points ? result[n].imag() : result[n - points].real());
        expected.emplace_back();
        for (const auto& [delay, tap] : taps) expected.back() += tap * samples[n - delay].real();
      }
      return distance(window, expected);
    };
    CHECK(error_of_window(plan) < 1e-11);
    Plan wrong = plan;
    wrong->packing = Packing::two_rows;
    CHECK(error_of_window(wrong) > 0.1);
  }
}

TEST_CASE("samples beyond the length are neither read nor returned") {
  CHECK(error_of(general_plan({5, 7, 9}, 157)) < 1e-12);
  CHECK(error_of(general_plan({16, 16}, 1)) < 1e-12);
  CHECK(error_of(tiled_plan(1, 1, 129)) < 1e-12);
  CHECK(error_of(tiled_plan(4, 1, 512)) < 1e-12);
  CHECK(error_of(tiled_plan(1, 8, 1500)) < 1e-12);

  const Plan plan = general_plan({6, 10}, 31);
  Row row = random_row(60, 4);
  const Row spectrum = random_row(60, 5), result = interpret(plan, row, spectrum);
  CHECK(result.size() == 31);
  for (std::size_t n = 31; n < 60; ++n) row[n] = std::nan("");
  CHECK(interpret(plan, row, spectrum) == result);
}

TEST_CASE("a window reads all of its samples, and its first ones are returned") {
  const Plan whole = tiled_plan(4, 1);
  Plan windowed = tiled_plan(4, 1, 640);
  windowed->windows = Windows{1024, 640, 380, 3, false};
  const Row row = random_row(1024, 6), spectrum = random_row(1024, 7);
  Row expected = interpret(whole, row, spectrum);
  expected.resize(640);
  CHECK(interpret(windowed, row, spectrum) == expected);
}

TEST_CASE("every twiddle matters: without it, or with another digit's, the result is far off") {
  for (const Plan& right :
       {general_plan({6, 5, 8}), tiled_plan(2, 3), tiled_plan(2, 9), tiled_plan(1, 1), split_plan(4096, 16)}) {
    const Problem problem(right);
    REQUIRE(problem.error_of(right) < 1e-12);
    for (std::size_t i = 0; i < right->steps.size(); ++i) {
      const Step& twiddle = right->steps[i];
      if (twiddle.kind != StepKind::twiddle) continue;
      CAPTURE(factorisation_name(*right));
      CAPTURE(i);
      Plan wrong = right;
      erase_step(wrong, i);
      CHECK(problem.error_of(wrong) > 0.1);
      wrong = right;
      wrong->steps.insert(wrong->steps.begin() + static_cast<std::ptrdiff_t>(i), twiddle);
      CHECK(problem.error_of(wrong) > 0.1);
      if (twiddle.open.size() > 1) {
        wrong = right;
        wrong->steps[i].open.pop_back();
        CHECK(problem.error_of(wrong) > 0.1);
      }
      if (twiddle.done.size() > 1) {
        wrong = right;
        wrong->steps[i].done.erase(wrong->steps[i].done.begin());
        CHECK(problem.error_of(wrong) > 0.1);
      }
    }
  }
  Plan wrong = general_plan({6, 5, 8});
  // The second twiddle stands between digits 1 and 2; digit 0 is done as well, but not its business.
  std::size_t second = 0;
  for (std::size_t i = 0, seen = 0; i < wrong->steps.size() && seen < 2; ++i)
    if (wrong->steps[i].kind == StepKind::twiddle) ++seen, second = i;
  REQUIRE(wrong->steps[second].done == std::vector<int>{1});
  wrong->steps[second].done = {0};
  CHECK(error_of(wrong) > 0.1);
}

TEST_CASE("real rows are circular convolutions") {
  for (const std::int64_t length : {4608, 8192, 12288}) {
    ConvConfig config;
    config.fft_length = length;
    config.arch = "sm_90a";
    const Plan plan = make_plans(normalised(config)).front();
    CAPTURE(factorisation_name(*plan));
    REQUIRE(plan->packing == Packing::real_row);
    CHECK(error_with_few_taps(plan) < 1e-12);
  }
}
