// templates/arithmetic/unit_root.cuh, compiled as it stands, against float64.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../templates/host/device_language.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wfloat-conversion"  // NVRTC's words, not the host's
#include "../../templates/arithmetic/unit_root.cuh"
#pragma GCC diagnostic pop

namespace {

double error_at(int exponent, int length, float2 root) {
  const double angle = -2 * std::numbers::pi * exponent / length;
  return std::hypot(static_cast<double>(root.x) - std::cos(angle), static_cast<double>(root.y) - std::sin(angle));
}

// Over every exponent, `step` apart for long ones, and all those near the eighths where the series change places.
template <int length>
double largest_error() {
  constexpr int step = length > 1 << 20 ? 17 : 1;
  double worst = 0;
  const auto look = [&](int exponent) {
    worst = std::max(worst, error_at(exponent, length, unit_root<length>(exponent)));
  };
  for (int exponent = 0; exponent < length; exponent += step) look(exponent);
  for (int eighth = 0; eighth <= 8; ++eighth)
    for (int near = -50; near <= 50; ++near) {
      const int exponent = static_cast<int>(static_cast<long long>(length) * eighth / 8) + near;
      if (exponent >= 0 && exponent < length) look(exponent);
    }
  return worst;
}

}  // namespace

TEST_CASE("roots of unity are within 2e-7 of float64, short and long, powers of two or not") {
  CHECK(largest_error<1>() == 0);
  CHECK(largest_error<2>() < 1e-15);
  CHECK(largest_error<4>() < 1e-15);
  CHECK(largest_error<3>() < 2e-7);
  CHECK(largest_error<61>() < 2e-7);
  CHECK(largest_error<3840>() < 2e-7);
  CHECK(largest_error<4096>() < 2e-7);
  CHECK(largest_error<24576>() < 2e-7);
  CHECK(largest_error<59 * 61 * 53>() < 2e-7);
  CHECK(largest_error<1 << 20>() < 2e-7);
  CHECK(largest_error<15 << 20>() < 2e-7);
  CHECK(largest_error<(1 << 24) - 1>() < 2e-7);
  CHECK(largest_error<1 << 24>() < 2e-7);
}

TEST_CASE("roots that are known at compile time are float64's, rounded") {
  const auto worst = [](int length, auto root_of) {
    double error = 0;
    for (int exponent = 0; exponent < length; ++exponent)
      error = std::max(error, error_at(exponent, length, root_of(exponent)));
    return error;
  };
  static_assert(constant_root<8>(2).x == 0 && constant_root<8>(2).y == -1);
  CHECK(worst(7, constant_root<7>) < 6e-8);
  CHECK(worst(16, constant_root<16>) < 6e-8);
  CHECK(worst(61, constant_root<61>) < 6e-8);
  CHECK(worst(4096, constant_root<4096>) < 6e-8);
  CHECK(worst(1 << 20, constant_root<1 << 20>) < 6e-8);
}
