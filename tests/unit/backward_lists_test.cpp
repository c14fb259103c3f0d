// Lists of steps of gradients, interpreted in float64: correlations, convolutions and sums.
#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <numbers>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "backward_config.hpp"
#include "ffc/generator/interpreter.hpp"
#include "ffc/generator/plan.hpp"
#include "ffc/generator/plan_choice.hpp"

using namespace ffc;

namespace {

using Complex = std::complex<double>;

std::vector<Complex> random_row(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Complex> row(static_cast<std::size_t>(n));
  for (Complex& value : row) value = {normal(random), normal(random)};
  return row;
}

std::vector<Complex> dft(const std::vector<Complex>& row) {
  const std::size_t n = row.size();
  std::vector<Complex> roots(n), result(n);
  for (std::size_t i = 0; i < n; ++i)
    roots[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) result[k] += row[i] * roots[i * k % n];
  return result;
}

double largest_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

TEST_CASE("interpreted plans are correlations, convolutions and sums") {
  for (const auto& shape : {std::tuple{256, 256, 0}, std::tuple{512, 256, 0}, std::tuple{2048, 2048, 0},
                            std::tuple{2304, 1000, 0}, std::tuple{8192, 8192, 0}, std::tuple{4096, 4096, 16},
                            std::tuple{8192, 3000, 32}, std::tuple{8192, 8192, 16}}) {
    const int n = std::get<0>(shape), length = std::get<1>(shape);
    ConvConfig config = backward(n, Gating::both);
    config.column_length = std::get<2>(shape);
    config.length = length;
    if (length != n) config.padding = Padding::padded;
    if (n == 512) config.radices = {2, 16, 16};  // rows that half of these hold would go alone
    if (n == 2304) config.radices = {9, 16, 16};
    CAPTURE(to_string(config));
    const Plan plan = make_plans(normalised(config)).front();
    std::vector<Complex> u = random_row(n, 1), dy = random_row(n, 2);
    const std::vector<Complex> spectrum = random_row(n, 3);
    const InterpretedGradients result = interpret_backward(plan, u, dy, spectrum);
    for (std::size_t i = static_cast<std::size_t>(length); i < u.size(); ++i) u[i] = dy[i] = 0;
    const std::vector<Complex> z = dft(u), g = dft(dy);
    std::vector<Complex> sums(z.size()), convolved(z.size()), correlated(z.size());
    for (std::size_t k = 0; k < z.size(); ++k) {
      sums[k] = std::conj(z[k]) * g[k];
      // Conjugated: the inverse of what follows is then a forward transform.
      convolved[k] = std::conj(z[k] * spectrum[k]);
      correlated[k] = std::conj(g[k] * std::conj(spectrum[k]));
    }
    const auto back = [&](const std::vector<Complex>& frequencies) {
      std::vector<Complex> row = dft(frequencies);
      row.resize(static_cast<std::size_t>(length));
      for (Complex& value : row) value = std::conj(value) / static_cast<double>(n);
      return row;
    };
    CHECK(largest_difference(result.sums, sums) < 1e-8);
    CHECK(largest_difference(result.input, back(convolved)) < 1e-8);
    CHECK(largest_difference(result.gradient, back(correlated)) < 1e-8);
  }
}

// The real part of what comes back modulo x^P = -i is the adjoint of the real part of a product: at frequencies k + 1/4
// all stays as it is, and the sums give a tap behind the points the part along -i.
static void check_rows_alone(std::int64_t points, std::int64_t length, int column_length) {
  ConvConfig config = backward(2 * points, Gating::both);
  config.column_length = column_length;
  config.batch = 1;
  config.length = length;
  config.padding = Padding::padded;
  const Plan plan = make_plans(normalised(config)).front();
  REQUIRE(plan->right_angle());
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const auto real_row = [&](std::int64_t samples) {
    std::vector<double> row(static_cast<std::size_t>(samples));
    for (double& value : row) value = normal(random);
    return row;
  };
  const std::vector<double> u = real_row(length), dy = real_row(length), k = real_row(points);
  const auto turn = [&](std::int64_t n) {
    return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(n) / (4.0 * static_cast<double>(points)));
  };
  const auto complex_row = [&](const std::vector<double>& row) {
    std::vector<Complex> values(static_cast<std::size_t>(points));
    std::copy(row.begin(), row.end(), values.begin());
    return values;
  };
  std::vector<Complex> taps = complex_row(k);
  for (std::int64_t n = 0; n < points; ++n) taps[static_cast<std::size_t>(n)] *= turn(n);
  const InterpretedGradients result = interpret_backward(plan, complex_row(u), complex_row(dy), dft(taps));
  std::vector<Complex> sums = result.sums;
  for (Complex& sum : sums) sum = std::conj(sum) / static_cast<double>(points);
  sums = dft(sums);
  double largest = 0;
  const auto compare = [&](double value, double expected) { largest = std::max(largest, std::abs(value - expected)); };
  for (std::int64_t n = 0; n < length; n += 37) {
    double convolved = 0, correlated = 0, of_tap = 0, of_tap_before = 0;
    for (std::int64_t m = 0; m < length; ++m) {
      const auto at = [](const std::vector<double>& row, std::int64_t i) {
        return i < 0 || i >= static_cast<std::int64_t>(row.size()) ? 0.0 : row[static_cast<std::size_t>(i)];
      };
      convolved += at(u, m) * at(k, n - m);
      correlated += at(dy, m) * at(k, m - n);
      of_tap += at(u, m) * at(dy, m + n);
      of_tap_before += at(u, m) * at(dy, m + n - points);
    }
    compare(result.input[static_cast<std::size_t>(n)].real(), convolved);
    compare(result.gradient[static_cast<std::size_t>(n)].real(), correlated);
    const Complex point = sums[static_cast<std::size_t>(n)] * turn(n);
    compare(point.real(), of_tap);
    compare(-point.imag(), of_tap_before);
  }
  CAPTURE(to_string(config));
  CHECK(largest < 1e-8);
}

TEST_CASE("interpreted plans of rows alone are correlations, convolutions and sums") {
  check_rows_alone(4096, 3000, 16);
  check_rows_alone(256, 200, 0);  // a warp holds them
  check_rows_alone(1024, 1000, 0);
}

// Taps of rows of so many points as the product's adjoint, from `row_of` what an interpreted plan gives.
static void check_taps(const Plan& plan, std::size_t points, std::vector<Complex> InterpretedGradients::*row_of) {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  std::vector<Complex> u(points), dy(points);
  for (std::vector<Complex>* const row : {&u, &dy})
    for (Complex& value : *row) value = normal(random);
  const InterpretedGradients result = interpret_backward(plan, u, dy, random_row(points, 3));
  const std::vector<Complex>& taps = result.*row_of;
  REQUIRE(taps.size() == points);
  double largest = 0;
  for (std::size_t n = 0; n<points; n += points> 4096 ? 997 : 37) {
    double tap = 0;
    for (std::size_t m = 0; m + n < points; ++m) tap += u[m].real() * dy[m + n].real();
    largest = std::max(largest, std::abs(taps[n].real() - tap));
  }
  CAPTURE(plan->transform_length);
  CHECK(largest < 1e-8);
}

TEST_CASE("interpreted plans bring sums back in the place of u") {
  constexpr std::size_t points = 32768;
  ConvConfig config = backward(2 * points);
  config.column_length = 16;
  config.batch = 1;
  config.length = points;
  config.padding = Padding::causal;
  const Plan plan = make_plans(normalised(config)).front();
  REQUIRE(plan->backward.returns_sums);
  check_taps(plan, points, &InterpretedGradients::input);
}

TEST_CASE("interpreted plans of blocks that have all rows of a channel end in taps") {
  for (const std::int64_t points : {256, 1024, 3072, 16384, 20480}) {
    ConvConfig config = backward(2 * points, points == 3072 ? Gating::both : Gating::none);
    config.length = config.filter_length = points;
    config.padding = Padding::causal;
    config.batch = 1;
    const Plan plan = make_plans(normalised(config)).front();
    REQUIRE(plan->backward.ends_in_taps);
    check_taps(plan, static_cast<std::size_t>(points), &InterpretedGradients::taps);
  }
}

TEST_CASE("a list that adds up too early, or multiplies before it adds up, is refused") {
  Plan plan = make_plans(normalised(backward(256))).front();
  const std::vector<Complex> row = random_row(256, 1);
  const auto sums = std::find_if(plan->steps.begin(), plan->steps.end(),
                                 [](const Step& step) { return step.kind == StepKind::accumulate; });
  REQUIRE(sums != plan->steps.end());
  Plan early = plan;
  early->steps.erase(early->steps.begin() + (sums - plan->steps.begin()));
  Plan late = early;
  early->steps.insert(early->steps.begin() + 1, *sums);
  late->steps.push_back(*sums);
  for (const Plan& wrong : {early, late})
    CHECK_THROWS_AS((void)interpret_backward(wrong, row, row, row), std::logic_error);
}
