// The float64 reference that GPU results are held against, itself held against the sum that defines a convolution, and
// the 16-bit conversions of examples and tests against the values that IEEE 754 gives.
#include "../../examples/reference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../../examples/fft.hpp"
#include "../../examples/gradient_reference.hpp"
#include "../../examples/sixteen_bit.hpp"

using namespace ffc::examples;
using ffc::DataType;

namespace {

std::vector<double> random_row(std::size_t length, std::mt19937& random) {
  std::vector<double> row(length);
  for (double& value : row) value = std::normal_distribution<double>()(random);
  return row;
}

// y[n] = sum over m of k[m] u[(n - m) mod period], and d u[n]: the definition, term by term.
std::vector<double> direct(const std::vector<float>& k, const std::vector<double>& u, std::size_t period, double skip) {
  std::vector<double> y(u.size());
  for (std::size_t n = 0; n < u.size(); ++n) {
    y[n] = skip * u[n];
    for (std::size_t m = 0; m < k.size(); ++m) {
      const std::size_t source = (n + period - m) % period;
      if (source < u.size()) y[n] += static_cast<double>(k[m]) * u[source];
    }
  }
  return y;
}

double error_of(const std::vector<double>& y, const std::vector<double>& reference) {
  RelativeError error;
  error.add(y, reference);
  return error.value();
}

struct Shape {
  std::size_t taps, length, period;
};

}  // namespace

TEST_CASE("the FFT is the sum that defines it, and the inverse undoes it") {
  std::mt19937 random(1);
  for (const std::size_t size : {1U, 2U, 4U, 8U, 64U, 128U, 256U}) {
    CAPTURE(size);
    const PowerOfTwoFft fft(size);
    CHECK(fft.size() == size);
    const std::vector<double> real = random_row(size, random), imag = random_row(size, random);
    std::vector<std::complex<double>> x(size);
    for (std::size_t n = 0; n < size; ++n) x[n] = {real[n], imag[n]};
    std::vector<std::complex<double>> transformed = x;
    fft.forward(transformed);
    for (std::size_t k = 0; k < size; ++k) {
      std::complex<double> sum = 0;
      for (std::size_t n = 0; n < size; ++n)
        sum += x[n] *
               std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(n * k % size) / static_cast<double>(size));
      CHECK(std::abs(transformed[k] - sum) < 1e-12 * static_cast<double>(size));
    }
    fft.inverse(transformed);
    for (std::size_t n = 0; n < size; ++n)
      CHECK(std::abs(transformed[n] / static_cast<double>(size) - x[n]) < 1e-13 * static_cast<double>(size));
  }
  CHECK_THROWS_AS(PowerOfTwoFft(24), std::invalid_argument);
  CHECK_THROWS_AS(PowerOfTwoFft(0), std::invalid_argument);
}

TEST_CASE("so is the FFT of any size") {
  std::mt19937 random(11);
  for (const std::size_t size : {1U, 2U, 3U, 16U, 31U, 100U, 992U, 1009U}) {
    CAPTURE(size);
    const std::vector<double> real = random_row(size, random), imag = random_row(size, random);
    std::vector<std::complex<double>> x(size);
    for (std::size_t n = 0; n < size; ++n) x[n] = {real[n], imag[n]};
    std::vector<std::complex<double>> transformed = x;
    AnyFft(size).forward(transformed);
    double worst = 0;
    for (std::size_t k = 0; k < size; ++k) {
      std::complex<double> sum = 0;
      for (std::size_t n = 0; n < size; ++n)
        sum += x[n] *
               std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(n * k % size) / static_cast<double>(size));
      worst = std::max(worst, std::abs(transformed[k] - sum));
    }
    CHECK(worst < 1e-12 * static_cast<double>(size));
  }
  CHECK_THROWS_AS(AnyFft(0), std::invalid_argument);
  std::vector<std::complex<double>> wrong(4);
  CHECK_THROWS_AS(AnyFft(5).forward(wrong), std::invalid_argument);
}

TEST_CASE("the reference is the direct sum: circular, padded, causal, any period") {
  std::mt19937 random(2);
  const std::vector<Shape> shapes = {
      {16, 16, 16},   {1, 16, 16},      {100, 100, 100},    {101, 101, 101},    {992, 992, 992},  {256, 128, 256},
      {300, 77, 300}, {7, 300, 300},    {300, 7, 300},      {64, 1, 64},        {50, 60, 109},    {50, 60, 110},
      {1, 1, 1},      {500, 500, 1000}, {30, 40000, 40029}, {20, 40000, 40000}, {9, 33000, 65536}};
  for (const Shape& shape : shapes) {
    CAPTURE(shape.taps);
    CAPTURE(shape.length);
    CAPTURE(shape.period);
    std::vector<float> k(shape.taps);
    for (float& tap : k) tap = std::normal_distribution<float>()(random);
    const std::vector<double> first = random_row(shape.length, random), second = random_row(shape.length, random);
    for (const double skip : {0.0, -1.75}) {
      const ReferenceFilter filter(k, shape.length, shape.period, skip);
      const auto rows = filter.apply(first, second);
      CHECK(error_of(rows.first, direct(k, first, shape.period, skip)) < 1e-13);
      CHECK(error_of(rows.second, direct(k, second, shape.period, skip)) < 1e-13);
      const auto alone = filter.apply(first);
      CHECK(error_of(alone.first, rows.first) < 1e-13);
      CHECK(alone.second.empty());
    }
  }
}

TEST_CASE("gradients are the direct sums, whatever x and g are to each other") {
  std::mt19937 random(3);
  const std::vector<Shape> shapes = {{16, 16, 16},   {100, 100, 100},  {992, 992, 992}, {256, 128, 256},
                                     {300, 77, 300}, {7, 300, 300},    {64, 1, 64},     {50, 60, 110},
                                     {1, 1, 2},      {500, 500, 1000}, {9, 40, 50},     {1, 1, 1}};
  for (const Shape& shape : shapes)
    for (const double size : {1.0, 1e-20, 1e12}) {
      CAPTURE(shape.taps);
      CAPTURE(shape.length);
      CAPTURE(shape.period);
      CAPTURE(size);
      std::vector<float> k(shape.taps);
      for (float& tap : k) tap = std::normal_distribution<float>()(random);
      ReferenceGradients gradients(k, shape.length, shape.period, 0.5);
      std::vector<double> dk(shape.taps);
      for (int row = 0; row < 2; ++row) {
        const std::vector<double> x = random_row(shape.length, random);
        std::vector<double> g = random_row(shape.length, random), correlated(shape.length);
        for (double& value : g) value *= size;
        for (std::size_t m = 0; m < shape.length; ++m) {
          correlated[m] = 0.5 * g[m];
          for (std::size_t j = 0; j < shape.taps; ++j)
            if (const std::size_t n = (m + j) % shape.period; n < shape.length) {
              correlated[m] += static_cast<double>(k[j]) * g[n];
              dk[j] += x[m] * g[n];
            }
        }
        const auto result = gradients.add(x, g);
        CHECK(error_of(result.convolved, direct(k, x, shape.period, 0.5)) < 1e-13);
        CHECK(error_of(result.correlated, correlated) < 1e-13);
      }
      CHECK(error_of(gradients.dk(), dk) < 1e-13);
    }
}

TEST_CASE("the reference refuses sizes that do not belong together") {
  const std::vector<float> k(8, 1.0F);
  CHECK_THROWS_AS(ReferenceFilter(k, 17, 16), std::invalid_argument);
  CHECK_THROWS_AS(ReferenceFilter(k, 4, 7), std::invalid_argument);
  CHECK_THROWS_AS(ReferenceFilter(k, 0, 16), std::invalid_argument);
  CHECK_THROWS_AS(ReferenceFilter({}, 4, 16), std::invalid_argument);
  const ReferenceFilter filter(k, 4, 16);
  const std::vector<double> right(4), wrong(5);
  CHECK_THROWS_AS((void)filter.apply(wrong), std::invalid_argument);
  CHECK_THROWS_AS((void)filter.apply(right, wrong), std::invalid_argument);
}

TEST_CASE("the relative error counts every row, and NaN fails every bar") {
  RelativeError error;
  error.add(std::vector<double>{3, 1, 0.5}, std::vector<double>{3, 0, 0.5});
  CHECK(error.value() == doctest::Approx(1 / std::sqrt(9.25)));
  error.add(std::vector<double>{5}, std::vector<double>{4});
  CHECK(error.value() == doctest::Approx(std::sqrt(2 / 25.25)));
  CHECK_THROWS_AS(error.add(std::vector<double>(2), std::vector<double>(3)), std::invalid_argument);
  error.add(std::vector<double>{std::nan("")}, std::vector<double>{1});
  CHECK_FALSE(error.value() <= 1e30);
  RelativeError from_nothing;
  from_nothing.add(std::vector<double>{1}, std::vector<double>{0});
  CHECK_FALSE(from_nothing.value() <= 1e30);
}

TEST_CASE("a sample summed by itself is that of the whole convolution") {
  std::mt19937 random(7);
  for (const auto& pair : {std::pair{1, 1}, {5, 40}, {40, 5}, {63, 64}, {100, 100}}) {
    const int taps = pair.first, length = pair.second;
    CAPTURE(taps);
    CAPTURE(length);
    std::vector<float> k(static_cast<std::size_t>(taps)), x(static_cast<std::size_t>(length));
    for (float& tap : k) tap = std::normal_distribution<float>()(random);
    for (float& value : x) value = std::normal_distribution<float>()(random);
    std::vector<double> padded(x.begin(), x.end());
    padded.resize(k.size() + x.size() + 2);
    const std::vector<double> y = direct(k, padded, padded.size() + k.size(), 0);
    for (std::size_t n = 0; n < y.size(); ++n) CHECK(causal_sample(k, x, n) == doctest::Approx(y[n]));
  }
}

TEST_CASE("sampled positions are in order, without repetition, and reach both ends") {
  for (const std::size_t length : {1U, 2U, 100U, 100000U}) {
    CAPTURE(length);
    const std::vector<std::size_t> positions = sample_positions(length, 300, 1);
    CHECK(positions.front() == 0);
    CHECK(positions.back() == length - 1);
    CHECK(positions.size() >= std::min<std::size_t>(length, 300));
    CHECK(positions.size() <= std::min<std::size_t>(length, 302));
    for (std::size_t i = 1; i < positions.size(); ++i) CHECK(positions[i - 1] < positions[i]);
  }
  CHECK(sample_positions(100000, 300, 1) != sample_positions(100000, 300, 2));
  CHECK_THROWS_AS((void)sample_positions(0, 300, 1), std::invalid_argument);
}

TEST_CASE("every 16-bit value survives the way to float and back") {
  for (std::uint32_t word = 0; word < 0x10000; ++word) {
    const auto bits = static_cast<std::uint16_t>(word);
    for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
      const float value = decode(dtype, bits);
      const bool same =
          std::isnan(value) ? std::isnan(decode(dtype, encode(dtype, value))) : encode(dtype, value) == bits;
      if (!same) FAIL("bits ", word, " of dtype ", static_cast<int>(dtype), " come back changed");
    }
  }
}

TEST_CASE("16-bit values are what IEEE 754 says, rounded to nearest even") {
  CHECK(from_fp16(0x3C00) == 1.0F);
  CHECK(from_fp16(0xC000) == -2.0F);
  CHECK(from_fp16(0x7BFF) == 65504.0F);
  CHECK(from_fp16(0x0400) == 0x1p-14F);
  CHECK(from_fp16(0x8001) == -0x1p-24F);
  CHECK(std::isinf(from_fp16(0x7C00)));
  CHECK(std::isnan(from_fp16(0xFFFF)));
  CHECK(to_fp16(1 + 0x1p-11F) == 0x3C00);             // a tie goes to even, here down
  CHECK(to_fp16(1 + 3 * 0x1p-11F) == 0x3C02);         // and here up
  CHECK(to_fp16(1 + 0x1p-11F + 0x1p-20F) == 0x3C01);  // just above a tie
  CHECK(to_fp16(2 - 0x1p-12F) == 0x4000);             // carries into the exponent
  CHECK(to_fp16(65519.0F) == 0x7BFF);
  CHECK(to_fp16(65520.0F) == 0x7C00);
  CHECK(to_fp16(-1e30F) == 0xFC00);
  CHECK(to_fp16(0x1p-25F) == 0);  // half of the smallest subnormal: a tie, to even
  CHECK(to_fp16(3 * 0x1p-25F) == 2);
  CHECK(to_fp16(0x1p-14F - 0x1p-25F) == 0x0400);  // a subnormal that rounds to the first normal
  CHECK(to_fp16(-0.0F) == 0x8000);
  CHECK(std::isnan(from_fp16(to_fp16(std::numeric_limits<float>::quiet_NaN()))));
  CHECK(from_bf16(0x3F80) == 1.0F);
  CHECK(from_bf16(0xC040) == -3.0F);
  CHECK(std::isnan(from_bf16(0xFFFF)));
  CHECK(to_bf16(1 + 0x1p-8F) == 0x3F80);
  CHECK(to_bf16(1 + 3 * 0x1p-8F) == 0x3F82);
  CHECK(to_bf16(1 + 0x1p-8F + 0x1p-20F) == 0x3F81);
  CHECK(to_bf16(std::numeric_limits<float>::max()) == 0x7F80);
  CHECK(std::isnan(from_bf16(to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_CASE("masked taps have what is kept of the spectrum and nothing else") {
  for (const std::size_t period : {std::size_t{16}, std::size_t{15}}) {
    const std::vector<float> k = {1.0f, -2.0f, 0.5f, 3.0f};
    std::vector<std::uint8_t> kept(period, 0);
    kept[0] = kept[3] = kept[period - 3] = 1;
    const std::vector<double> taps = masked_taps(k, period, 0.25, kept);
    REQUIRE(taps.size() == period);
    for (std::size_t f = 0; f < period; ++f) {
      std::complex<double> whole = 0.25, masked = 0;
      const auto root = [&](std::size_t n) {
        return std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(n * f) / static_cast<double>(period));
      };
      for (std::size_t n = 0; n < k.size(); ++n) whole += static_cast<double>(k[n]) * root(n);
      for (std::size_t n = 0; n < period; ++n) masked += taps[n] * root(n);
      CHECK(std::abs(masked - (kept[f] == 1 ? whole : 0.0)) < 1e-12);
    }
  }
}

TEST_CASE("taps of a filter's gradient by their definition are those of the transforms") {
  const std::vector<double> x = {1, -2, 3, 0.5, 4}, g = {2, 1, -1, 5, 0.25};
  const std::vector<float> k = {1, 0, 2, 3};
  for (const std::size_t period : {std::size_t{5}, std::size_t{7}, std::size_t{16}}) {
    ReferenceGradients reference(k, x.size(), period);
    TapSums some({0, 1, 3}, period), others = some;
    for (int row = 0; row < 2; ++row) (void)reference.add(x, g);
    some.add(x, g);
    others.add(x, g);
    some.add(others);
    CHECK_THROWS_AS(some.add(TapSums({0, 1, 2}, period)), std::invalid_argument);
    const std::vector<double> all = reference.dk();
    for (std::size_t i = 0; i < 3; ++i) CHECK(some.sums()[i] == doctest::Approx(all[some.taps()[i]]).epsilon(1e-12));
  }
}
